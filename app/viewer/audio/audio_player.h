// Plays a file's audio in sync with a clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/viewer/audio/audio_output.h"

namespace weft {

struct AudioPlayerOptions {
    std::string path;
    double origin = 0;  // file time in seconds at which media time starts
    // Opens the device; called in the player's thread.
    std::function<std::unique_ptr<AudioOutput>()> open_output = open_default_audio;
    // Called in the player's thread when problem() changes. Must not block.
    std::function<void()> on_change;
};

// Decodes and writes in its own thread. Only the destructor blocks, until the current samples are
// written.
class AudioPlayer {
 public:
    explicit AudioPlayer(AudioPlayerOptions options);
    ~AudioPlayer();
    AudioPlayer(const AudioPlayer&) = delete;
    AudioPlayer& operator=(const AudioPlayer&) = delete;

    // Media time `seconds` is due at `at` and advances from there at speed 1; once the device is
    // ready, playback joins at the position due by then.
    void play(double seconds, SteadyTime at);
    // Silences the output immediately.
    void stop();
    // 0 to 1.3; 0 is silence.
    void set_volume(double volume);

    // Media time of the sample heard at `now`; nullopt during silence.
    std::optional<double> heard(SteadyTime now) const;
    // A sentence if audio has failed, else empty.
    std::string problem() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
