// Audio output: a sound card, or a fake one in tests.
#pragma once

#include <memory>
#include <span>

#include "app/viewer/audio/playback_clock.h"

namespace weft {

// Interleaved stereo float samples at kAudioRate. Used by one thread. Calls throw
// std::runtime_error with a sentence when the device fails.
inline constexpr int kAudioRate = 48'000;

class AudioOutput {
 public:
    virtual ~AudioOutput() = default;

    // Starts playing the samples written from now on.
    virtual void start() = 0;
    // Blocks until the samples are taken. Pauses between calls are audible as silence.
    virtual void write(std::span<const float> stereo) = 0;
    // Drops samples that were written but not heard yet.
    virtual void abort() = 0;
    // Seconds until a sample written now is heard.
    virtual double delay() = 0;
    virtual SteadyTime now() const = 0;
};

// The default device, through PortAudio, which is loaded on first use. Throws std::runtime_error
// with a sentence if the library or a device is missing.
std::unique_ptr<AudioOutput> open_default_audio();

}  // namespace weft
