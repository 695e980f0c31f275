// Filtered frames waiting for their time on the screen.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

#include "app/viewer/screen/shown_frame.h"

namespace weft {

// The frame to show at a given time.
struct Presented {
    ShownFramePtr frame;           // null: no new frame
    bool first_of_serial = false;  // the clock starts with it
    std::int64_t late = 0;         // frames dropped because a later one was already due
};

// One thread pushes, another takes. The pushing thread runs at most kAhead frames ahead.
class Presenter {
 public:
    static constexpr std::size_t kAhead = 3;

    // Blocks while kAhead frames wait. Returns false and drops the frame after a stop request.
    bool push(ShownFramePtr frame, const std::stop_token& stop);

    // The last waiting frame of `serial` that is due at `clock` (media time in seconds), or the
    // first one of a serial not shown yet. A refiltered version of the frame shown last is always
    // due. Drops frames of other serials.
    Presented take(std::uint64_t serial, double clock);

    // When the next frame of `serial` is due; nullopt if none is waiting.
    std::optional<double> next_due(std::uint64_t serial) const;

 private:
    bool is_due(const ShownFrame& frame, double clock) const;

    mutable std::mutex mutex_;
    std::condition_variable_any taken_;
    std::deque<ShownFramePtr> waiting_;
    std::optional<std::uint64_t> shown_serial_;
    double shown_seconds_ = 0;
};

}  // namespace weft
