// -ss and -to in the file's own time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "app/media/demux/reader_options.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

// Times count from the file's first timestamp, as in ffmpeg's -ss: in a .ts that begins at 1.4 s,
// -ss 1 selects timestamp 2.4 s.
class TimeRange {
 public:
    TimeRange() = default;
    TimeRange(const ReaderOptions& options, const AVFormatContext& context) {
        const std::int64_t origin = context.start_time == AV_NOPTS_VALUE ? 0 : context.start_time;
        if (options.start_us) start_ = *options.start_us + origin;
        if (options.end_us) end_ = *options.end_us + origin;
    }

    bool is_all() const { return !start_ && !end_; }

    bool before(std::int64_t pts, AVRational time_base) const {
        return start_ && av_compare_ts(pts, time_base, *start_, av_get_time_base_q()) < 0;
    }
    bool after_start(std::int64_t pts, AVRational time_base) const {
        return start_ && av_compare_ts(pts, time_base, *start_, av_get_time_base_q()) > 0;
    }
    // True from the end of the range, plus `slack_us`, on.
    bool after(std::int64_t pts, AVRational time_base, std::int64_t slack_us = 0) const {
        return end_ && av_compare_ts(pts, time_base, *end_ + slack_us, av_get_time_base_q()) >= 0;
    }
    bool contains(std::int64_t pts, AVRational time_base) const {
        return !before(pts, time_base) && !after(pts, time_base);
    }
    // The start minus `earlier_us`, in a stream's ticks, rounded down.
    std::int64_t start_ticks(AVRational time_base, std::int64_t earlier_us = 0) const {
        return av_rescale_q_rnd(start_.value_or(0) - earlier_us, av_get_time_base_q(), time_base,
                                AV_ROUND_DOWN);
    }
    // The length of the range within a file that lasts `duration_us`.
    std::int64_t wanted_us(std::int64_t duration_us, std::int64_t origin_us) const {
        const std::int64_t from = start_.value_or(origin_us) - origin_us;
        const std::int64_t to = end_.value_or(origin_us + duration_us) - origin_us;
        return std::max<std::int64_t>(std::min(to, duration_us) - from, 0);
    }

 private:
    std::optional<std::int64_t> start_;  // AV_TIME_BASE units
    std::optional<std::int64_t> end_;
};

}  // namespace weft
