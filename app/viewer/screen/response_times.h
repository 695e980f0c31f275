// Measures how long the screen takes to follow input events.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <utility>

#include "app/pipeline/report/durations.h"

namespace weft {

// Every event of one kind asks for a picture whose number is greater than that of the event before.
// A picture answers all events up to its number, because frames of a dragged slider are skipped.
class ResponseTimes {
 public:
    using Time = std::chrono::steady_clock::time_point;

    // The times are added to `seconds`, which must outlive this.
    explicit ResponseTimes(Durations& seconds) : seconds_(&seconds) {}

    void ask(std::uint64_t number, Time event) { asked_.emplace_back(number, event); }
    // The picture of this number is on the screen since `now`.
    void answer(std::uint64_t number, Time now);
    // Gives up the pictures that were asked for.
    void forget() { asked_.clear(); }

 private:
    Durations* seconds_;
    std::deque<std::pair<std::uint64_t, Time>> asked_;
};

}  // namespace weft
