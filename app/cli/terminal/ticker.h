// Time since the start, and whether enough has passed for the next update.
#pragma once

#include <chrono>

namespace weft {

class Ticker {
 public:
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    bool due(double interval_seconds) {
        const double now = elapsed();
        if (now - shown_ < interval_seconds) return false;
        shown_ = now;
        return true;
    }

 private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
    double shown_ = 0;
};

}  // namespace weft
