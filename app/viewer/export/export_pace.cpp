#include "app/viewer/export/export_pace.h"

#include <algorithm>

namespace weft {

void ExportPace::add(double seconds, std::int64_t frames) {
    last_ = {seconds, frames};
    points_.push_back(last_);
    if (points_.size() < kMost) return;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < points_.size(); k += 2) points_[kept++] = points_[k];
    points_.resize(kept);
}

std::optional<double> ExportPace::fps() const {
    const auto middle = std::ranges::find_if(
        points_, [half = last_.seconds / 2](const Point& point) { return point.seconds >= half; });
    if (middle == points_.end()) return std::nullopt;
    const double seconds = last_.seconds - middle->seconds;
    const std::int64_t frames = last_.frames - middle->frames;
    if (seconds <= 0 || frames <= 0) return std::nullopt;
    return static_cast<double>(frames) / seconds;
}

std::optional<double> ExportPace::seconds_for(std::int64_t frames) const {
    const std::optional<double> speed = fps();
    return speed ? std::optional(static_cast<double>(frames) / *speed) : std::nullopt;
}

}  // namespace weft
