// Which media time is due: the steady clock, stretched by the speed, held while paused or waiting.
#pragma once

#include <chrono>

namespace weft {

using SteadyTime = std::chrono::steady_clock::time_point;

// Pure: it never asks what time it is. Media time is in seconds.
class PlaybackClock {
 public:
    double at(SteadyTime now) const;
    // When `seconds` will be due; only while the clock runs.
    SteadyTime when(double seconds) const;
    bool runs() const { return !paused_ && !waiting_; }
    bool waits() const { return waiting_; }
    double speed() const { return speed_; }

    // Stands at `seconds` until start().
    void wait_at(double seconds);
    // The frame of `seconds` is on the screen: goes on from there, unless paused. Without effect
    // if the clock does not wait.
    void start(double seconds, SteadyTime now);
    void set_paused(bool paused, SteadyTime now);
    void set_speed(double speed, SteadyTime now);
    // Another clock, the sound's, says that `seconds` are due: small differences are caught up with
    // smoothly, large ones at once. Without effect while this clock does not run.
    void follow(double seconds, SteadyTime now);

 private:
    void move_to(double seconds, SteadyTime now);

    double seconds_ = 0;  // at since_
    SteadyTime since_{};
    double speed_ = 1;
    bool paused_ = true;
    bool waiting_ = false;
};

}  // namespace weft
