// Accounts for the time of a stage's thread: in sums and, if requested, on a row of the trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "app/pipeline/report/trace.h"

namespace weft {

// The time of a stage's thread in seconds, by activity.
struct StageSeconds {
    double busy = 0;
    double waited_for_input = 0;
    double waited_for_room = 0;  // in the queue to the next stage
};

// Each call accounts for the time since the previous one, or since the clock was created, and
// returns that time in seconds. For one thread at a time; `sums` must outlive it.
class StageClock {
 public:
    explicit StageClock(StageSeconds& sums, TraceRow row = {}) : sums_(&sums), row_(row) {}

    double was_busy() { return lap(sums_->busy).seconds(); }
    // Traced by this constant name, with the number of the frame unless that is -1.
    double was_busy(std::string_view name, std::int64_t frame) {
        const Lap done = lap(sums_->busy);
        row_.add({name, frame, done.begin, done.end});
        return done.seconds();
    }
    double waited_for_input() { return waited("wait for input", lap(sums_->waited_for_input)); }
    double waited_for_room() { return waited("wait for room", lap(sums_->waited_for_room)); }

 private:
    struct Lap {
        TraceTime begin, end;
        double seconds() const { return std::chrono::duration<double>(end - begin).count(); }
    };

    Lap lap(double& sum) {
        const Lap done{last_, std::chrono::steady_clock::now()};
        last_ = done.end;
        sum += done.seconds();
        return done;
    }

    // Untraced if the queue took or gave an item immediately.
    double waited(std::string_view name, const Lap& done) const {
        constexpr double kAtOnce = 20e-6;
        if (done.seconds() > kAtOnce) row_.add({name, -1, done.begin, done.end});
        return done.seconds();
    }

    StageSeconds* sums_;
    TraceRow row_;
    TraceTime last_ = std::chrono::steady_clock::now();
};

}  // namespace weft
