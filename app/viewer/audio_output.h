// Where sound goes: a card, or in tests a pretended one.
#pragma once

#include <memory>
#include <span>

#include "app/viewer/playback_clock.h"

namespace weft {

// Stereo float samples, interleaved, kAudioRate a second. For one thread. Calls throw
// std::runtime_error with a sentence when the device fails.
inline constexpr int kAudioRate = 48'000;

class AudioOutput {
 public:
    virtual ~AudioOutput() = default;

    // Begins to play what is written from now on.
    virtual void start() = 0;
    // Blocks until the samples are taken. Pauses between calls are heard as silence.
    virtual void write(std::span<const float> stereo) = 0;
    // Drops what was written and not yet heard.
    virtual void abort() = 0;
    // Seconds until a sample that is written now is heard.
    virtual double delay() = 0;
    virtual SteadyTime now() const = 0;
};

// The default device, through PortAudio, which is loaded when it is first asked for. Throws
// std::runtime_error with a sentence if there is no library or no device.
std::unique_ptr<AudioOutput> open_default_audio();

}  // namespace weft
