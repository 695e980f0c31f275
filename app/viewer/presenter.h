// Filtered frames that wait for their time on the screen.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

#include "app/viewer/shown_frame.h"

namespace weft {

// What is to be shown at a moment.
struct Presented {
    ShownFramePtr frame;           // null: nothing new
    bool first_of_serial = false;  // the clock starts with it
    std::int64_t late = 0;         // frames given up, because a later one was due already
};

// One thread pushes, one takes. The pushing thread runs ahead by kAhead frames at most.
class Presenter {
 public:
    static constexpr std::size_t kAhead = 3;

    // Blocks while kAhead frames wait. False, and the frame is dropped, when `stop` was requested.
    bool push(ShownFramePtr frame, const std::stop_token& stop);

    // The last waiting frame of `serial` that is due at `clock` (seconds of media time), or the
    // first of a serial that nothing was shown of. A frame like the one shown last, filtered anew,
    // is always due. Frames of other serials are forgotten.
    Presented take(std::uint64_t serial, double clock);

    // When the next frame of `serial` is due; nothing while none waits.
    std::optional<double> next_due(std::uint64_t serial) const;

    // Forgets all.
    void clear();

 private:
    bool is_due(const ShownFrame& frame, double clock) const;

    mutable std::mutex mutex_;
    std::condition_variable_any taken_;
    std::deque<ShownFramePtr> waiting_;
    std::optional<std::uint64_t> shown_serial_;
    double shown_seconds_ = 0;
};

}  // namespace weft
