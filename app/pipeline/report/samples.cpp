#include "app/pipeline/report/samples.h"

#include <algorithm>
#include <cmath>

namespace weft {

Samples Samples::latest(std::size_t window) {
    Samples samples;
    samples.window_ = window;
    return samples;
}

Samples Samples::summary(std::int64_t count, double p5, double median, double p95) {
    Samples samples;
    samples.kept_ = {p5, median, p95};
    samples.count_ = count;
    samples.total_ = median * static_cast<double>(count);
    return samples;
}

void Samples::add(double seconds) {
    ++count_;
    total_ += seconds;
    if (kept_.size() < (window_ > 0 ? window_ : kKept)) {
        kept_.push_back(seconds);
        return;
    }
    if (window_ > 0) {
        kept_[static_cast<std::size_t>(count_ - 1) % window_] = seconds;
        return;
    }
    std::uniform_int_distribution<std::int64_t> any(0, count_ - 1);
    const std::int64_t slot = any(random_);
    if (slot < static_cast<std::int64_t>(kKept)) kept_[static_cast<std::size_t>(slot)] = seconds;
}

std::vector<double> Samples::kept() const {
    std::vector<double> kept = kept_;
    if (window_ > 0 && kept.size() == window_) {
        const std::size_t oldest = static_cast<std::size_t>(count_) % window_;
        std::ranges::rotate(kept, kept.begin() + static_cast<std::ptrdiff_t>(oldest));
    }
    return kept;
}

double Samples::quantile_seconds(double fraction) const {
    if (kept_.empty()) return 0;
    std::vector<double> sorted = kept_;
    const auto size = static_cast<double>(sorted.size());
    const double rank = std::clamp(std::ceil(fraction * size), 1.0, size);
    const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(sorted.begin(), nth, sorted.end());
    return *nth;
}

}  // namespace weft
