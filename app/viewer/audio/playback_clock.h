// The media time that is due: a steady clock scaled by the speed and stopped while paused or
// waiting.
#pragma once

#include <chrono>

namespace weft {

using SteadyTime = std::chrono::steady_clock::time_point;

// Pure: never reads the time itself. Media time is in seconds.
class PlaybackClock {
 public:
    double at(SteadyTime now) const;
    // When `seconds` will be due; valid only while the clock runs.
    SteadyTime when(double seconds) const;
    bool runs() const { return !paused_ && !waiting_; }
    bool waits() const { return waiting_; }
    double speed() const { return speed_; }

    // Stops at `seconds` until start().
    void wait_at(double seconds);
    // Continues from `seconds`, whose frame is on the screen, unless paused. Does nothing if the
    // clock is not waiting.
    void start(double seconds, SteadyTime now);
    void set_paused(bool paused, SteadyTime now);
    void set_speed(double speed, SteadyTime now);
    // Synchronizes with another clock, the audio's, at `seconds`: corrects small differences
    // smoothly, large ones at once. Does nothing while this clock is stopped.
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
