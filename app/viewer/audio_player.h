// Plays the sound of a file in step with a clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/viewer/audio_output.h"

namespace weft {

struct AudioPlayerOptions {
    std::string path;
    double origin = 0;  // seconds in the file's own time at which media time begins
    // Opens the device; called in the player's thread.
    std::function<std::unique_ptr<AudioOutput>()> open_output = open_default_audio;
    // Called in the player's thread when problem() changed. Must not block.
    std::function<void()> on_change;
};

// Decodes and writes in a thread of its own; no call blocks but the destructor, for the samples
// under way.
class AudioPlayer {
 public:
    explicit AudioPlayer(AudioPlayerOptions options);
    ~AudioPlayer();
    AudioPlayer(const AudioPlayer&) = delete;
    AudioPlayer& operator=(const AudioPlayer&) = delete;

    // Media time `seconds` is due at `at`, and goes on from there at speed 1: what is heard from
    // when the device is ready is what is due then.
    void play(double seconds, SteadyTime at);
    // Silence, at once.
    void stop();
    // 0 to 1.3; 0 is silence.
    void set_volume(double volume);

    // Media time of the sample that is heard at `now`; nothing while none is.
    std::optional<double> heard(SteadyTime now) const;
    // A sentence if there is no sound; empty while there may be.
    std::string problem() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
