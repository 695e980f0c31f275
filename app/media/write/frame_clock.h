// Display times of frames in the clock of the output container.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/container_table.h"

namespace weft {

// A moment in some stream's ticks, subtracted from every stream.
struct TimeShift {
    std::int64_t ticks = 0;
    AVRational time_base{1, AV_TIME_BASE};

    // The shift in another stream's ticks, to the nearest.
    std::int64_t in(AVRational other) const { return av_rescale_q(ticks, time_base, other); }
};

// A FrameTime is the result of a FrameClock for one frame, in units of FrameClock::time_base().
struct FrameTime {
    std::int64_t pts = 0;
    std::int64_t duration = 0;  // 0: unknown
};

// A FrameClock maps the source times of frames, in pts order, to those that the container can hold.
class FrameClock {
 public:
    // `rate` is that of Clock::constant_rate and Clock::slots, in frames or slots per second.
    FrameClock(Clock kind, AVRational source_time_base, AVRational rate, TimeShift shift);

    // Units of next(): the source's own, or the container's where that is coarser than a frame;
    // microseconds in MP4 and MOV if the source's have a denominator above 10,000,000.
    AVRational time_base() const { return time_base_; }

    FrameTime next(std::int64_t pts, std::int64_t duration);

    // One sentence if a frame's time had to change by more than rounding to the container's tick.
    const std::optional<std::string>& complaint() const { return complaint_; }

 private:
    FrameTime counted(std::int64_t pts);
    FrameTime slotted(std::int64_t pts, std::int64_t duration);
    FrameTime rounded(std::int64_t pts, std::int64_t duration) const;
    FrameTime centiseconds(std::int64_t pts, std::int64_t duration);

    Clock kind_;
    AVRational source_;
    AVRational rate_;
    std::int64_t shift_;
    AVRational time_base_;
    std::int64_t count_ = 0;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
    std::optional<std::string> complaint_;
};

}  // namespace weft
