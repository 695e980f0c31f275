#include "app/viewer/play/frame_store.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

// Duration of a frame if neither the file nor its rate gives one.
constexpr double kUnknownDuration = 0.04;

// In ticks: larger than any rounding error.
constexpr double kRounding = 0.1;

constexpr double kMostTicks = 1e18;

}  // namespace

double Timeline::seconds(std::int64_t pts) const {
    return static_cast<double>(pts - first_pts) * av_q2d(time_base);
}

std::int64_t Timeline::ticks(double seconds) const {
    const double ticks = std::floor(std::max(seconds, 0.0) / av_q2d(time_base) + kRounding);
    return first_pts + static_cast<std::int64_t>(std::min(ticks, kMostTicks));
}

void FrameStore::reset(const Timeline& timeline) {
    timeline_ = timeline;
    index_ = FrameIndex(timeline.first_pts, timeline.frame_rate * av_q2d(timeline.time_base));
    cache_.clear();
    stretches_.reset();
}

void FrameStore::add(Frame frame, std::optional<std::int64_t> before) {
    if (before)
        index_.add_after(*before, frame.pts);
    else
        index_.add(frame.pts);
    cache_.insert(std::make_shared<const Frame>(std::move(frame)));
    stretches_.reset();
}

void FrameStore::set_budget(std::size_t bytes) {
    cache_.set_budget(bytes);
    stretches_.reset();
}

bool FrameStore::ready(std::int64_t pts) const {
    return cache_.contains(pts) && (is_last(pts) || index_.next(pts));
}

double FrameStore::duration(const Frame& frame) const {
    if (const auto next = index_.next(frame.pts)) return seconds(*next) - seconds(frame.pts);
    if (frame.duration > 0)
        return static_cast<double>(frame.duration) * av_q2d(timeline_.time_base);
    return timeline_.frame_rate > 0 ? 1 / timeline_.frame_rate : kUnknownDuration;
}

double FrameStore::end_seconds(std::int64_t pts) const {
    const auto frame = cache_.find(pts);
    return seconds(pts) + (frame ? duration(*frame) : 0);
}

std::shared_ptr<const Frame> FrameStore::nearest(std::int64_t pts) const {
    const std::vector<std::int64_t> times = cache_.times();
    if (times.empty()) return nullptr;
    const auto after = std::upper_bound(times.begin(), times.end(), pts);
    return cache_.find(after == times.begin() ? *after : *std::prev(after));
}

const std::vector<std::pair<double, double>>& FrameStore::stretches() const {
    if (stretches_) return *stretches_;
    std::vector<std::pair<double, double>>& found = stretches_.emplace();
    std::optional<std::int64_t> expected;
    for (const std::int64_t pts : cache_.times()) {
        const double begin = seconds(pts);
        if (pts != expected) found.emplace_back(begin, begin);
        expected = index_.next(pts);
        found.back().second = expected ? seconds(*expected) : begin;
    }
    return found;
}

}  // namespace weft
