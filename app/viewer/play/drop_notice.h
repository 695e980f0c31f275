// Reports dropped frames while they are news.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace weft {

// The total of a film says little an hour after a busy second: the statistics overlay has it.
class DropNotice {
 public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::seconds kStays{5};  // after the last dropped frame

    // `dropped` is the count since the file was opened, and falls when another one opens. Call this
    // once per redraw. Returns the frames that were dropped since the last pause of kStays; 0:
    // none.
    std::int64_t update(std::int64_t dropped, Time now) {
        if (dropped < last_) last_ = before_ = dropped;
        if (dropped > last_) until_ = now + kStays;
        last_ = dropped;
        if (now >= until_) before_ = dropped;
        return dropped - before_;
    }
    // Time until it disappears, when the window has to be redrawn; nothing while it is not shown.
    std::optional<std::chrono::duration<double>> left(Time now) const {
        if (last_ == before_) return std::nullopt;
        return std::max<std::chrono::duration<double>>(until_ - now, std::chrono::seconds(0));
    }

 private:
    std::int64_t last_ = 0;    // in the last call
    std::int64_t before_ = 0;  // those that are no news
    Time until_{};
};

}  // namespace weft
