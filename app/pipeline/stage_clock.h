// Where the time of a stage's thread goes.
#pragma once

#include <chrono>

namespace weft {

// In seconds.
struct StageUse {
    double busy = 0;
    double waited_for_input = 0;
    double waited_for_room = 0;  // in the queue behind the stage
};

// Each call accounts for the time since the one before it, or since the clock was made, and returns
// that time in seconds. For one thread at a time; `use` must outlive it.
class StageClock {
 public:
    explicit StageClock(StageUse& use) : use_(&use) {}

    double was_busy() { return lap(use_->busy); }
    double waited_for_input() { return lap(use_->waited_for_input); }
    double waited_for_room() { return lap(use_->waited_for_room); }

 private:
    using SteadyClock = std::chrono::steady_clock;

    double lap(double& sum) {
        const auto now = SteadyClock::now();
        const double seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        sum += seconds;
        return seconds;
    }

    StageUse* use_;
    SteadyClock::time_point last_ = SteadyClock::now();
};

}  // namespace weft
