#include "app/media/write/frame_clock.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr AVRational kCentisecond{1, 100};
// Browsers and libav's own reader play shorter delays as ten ticks.
constexpr std::int64_t kShortestGifDelay = 2;
constexpr AVRational kMicrosecond{1, 1'000'000};
// libav's reader of MP4 ignores all delays between decoding and display if one has 2^28 ticks or
// more: at this scale, 26 seconds.
constexpr int kMostMovieTicks = 10'000'000;  // a second

AVRational clock_of(Clock kind, AVRational source, AVRational rate) {
    switch (kind) {
        case Clock::source:
        case Clock::milliseconds:
        case Clock::delays:
        case Clock::none:
            return source;
        case Clock::centiseconds:
            return kCentisecond;
        case Clock::movie:
            return source.den > kMostMovieTicks ? kMicrosecond : source;
        case Clock::slots:
        case Clock::constant_rate:
            return av_inv_q(rate);
    }
    return source;
}

}  // namespace

FrameClock::FrameClock(Clock kind, AVRational source_time_base, AVRational rate, TimeShift shift)
    : kind_(kind),
      source_(source_time_base),
      rate_(rate),
      shift_(shift.in(source_time_base)),
      time_base_(clock_of(kind, source_time_base, rate)) {}

FrameTime FrameClock::next(std::int64_t pts, std::int64_t duration) {
    if (count_ == 0) first_ = pts;
    FrameTime time{pts - (kind_ == Clock::delays ? first_ : shift_), duration};
    if (kind_ == Clock::constant_rate) time = counted(pts);
    if (kind_ == Clock::slots) time = slotted(pts, duration);
    if (kind_ == Clock::centiseconds) time = centiseconds(pts, duration);
    if (kind_ == Clock::movie) time = rounded(pts, duration);
    ++count_;
    last_ = time.pts;
    return time;
}

FrameTime FrameClock::counted(std::int64_t pts) {
    // Half a frame off the grid is more than any rounding of a constant rate.
    const std::int64_t on_grid = first_ + av_rescale_q(count_, time_base_, source_);
    const std::int64_t half = av_rescale_q(1, time_base_, source_) / 2;
    if (!complaint_ && std::abs(pts - on_grid) > std::max<std::int64_t>(half, 1))
        complaint_ = fmt::format(
            "the frame rate varies, but this format stores only a constant one: from {:.3f} s on, "
            "frames are shown at {:.6g} frames per second",
            static_cast<double>(pts) * av_q2d(source_), av_q2d(rate_));
    return {count_, 1};
}

// Two frames in one slot: the second one takes the next slot, so that none is lost.
FrameTime FrameClock::slotted(std::int64_t pts, std::int64_t duration) {
    const std::int64_t exact = av_rescale_q(pts - shift_, source_, time_base_);
    const std::int64_t least = count_ == 0 ? 0 : last_ + 1;
    if (!complaint_ && exact < least - 1)
        complaint_ = fmt::format(
            "frames follow each other faster than the {:.6g} per second chosen at the start: from "
            "{:.3f} s on, some are late",
            av_q2d(rate_), static_cast<double>(pts) * av_q2d(source_));
    return {std::max(exact, least), av_rescale_q(duration, source_, time_base_)};
}

FrameTime FrameClock::rounded(std::int64_t pts, std::int64_t duration) const {
    const std::int64_t nearest = av_rescale_q(pts - shift_, source_, time_base_);
    return {count_ == 0 ? nearest : std::max(nearest, last_ + 1),
            av_rescale_q(duration, source_, time_base_)};
}

FrameTime FrameClock::centiseconds(std::int64_t pts, std::int64_t duration) {
    const std::int64_t exact = av_rescale_q(pts - first_, source_, kCentisecond);
    const std::int64_t least = count_ == 0 ? 0 : last_ + kShortestGifDelay;
    if (!complaint_ && exact < least - 1)
        complaint_ =
            fmt::format("GIF shows at most 50 frames per second: from {:.3f} s on, frames are late",
                        static_cast<double>(pts) * av_q2d(source_));
    return {std::max(exact, least),
            std::max(av_rescale_q(duration, source_, kCentisecond), kShortestGifDelay)};
}

}  // namespace weft
