#include "app/viewer/audio/playback_clock.h"

#include <cmath>

namespace weft {

namespace {

// Differences to the audio above kJumpSeconds are corrected at once; of smaller ones, kFollowPart
// is corrected at each report.
constexpr double kJumpSeconds = 0.1;
constexpr double kFollowPart = 0.2;

}  // namespace

double PlaybackClock::at(SteadyTime now) const {
    if (!runs()) return seconds_;
    return seconds_ + std::chrono::duration<double>(now - since_).count() * speed_;
}

SteadyTime PlaybackClock::when(double seconds) const {
    const std::chrono::duration<double> wait((seconds - seconds_) / speed_);
    return since_ + std::chrono::ceil<std::chrono::steady_clock::duration>(wait);
}

void PlaybackClock::move_to(double seconds, SteadyTime now) {
    seconds_ = seconds;
    since_ = now;
}

void PlaybackClock::wait_at(double seconds) {
    seconds_ = seconds;
    waiting_ = true;
}

void PlaybackClock::start(double seconds, SteadyTime now) {
    if (!waiting_) return;
    waiting_ = false;
    move_to(seconds, now);
}

void PlaybackClock::set_paused(bool paused, SteadyTime now) {
    move_to(at(now), now);
    paused_ = paused;
}

void PlaybackClock::set_speed(double speed, SteadyTime now) {
    move_to(at(now), now);
    speed_ = speed;
}

void PlaybackClock::follow(double seconds, SteadyTime now) {
    if (!runs()) return;
    const double behind = seconds - at(now);
    move_to(at(now) + (std::abs(behind) > kJumpSeconds ? behind : behind * kFollowPart), now);
}

}  // namespace weft
