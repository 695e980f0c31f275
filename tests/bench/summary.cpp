#include "tests/bench/summary.h"

#include <algorithm>
#include <cmath>

namespace weft::bench {

namespace {

double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Timing summary_of(std::vector<double> seconds, std::size_t launches) {
    for (double& s : seconds) s /= static_cast<double>(launches);
    std::ranges::sort(seconds);
    const double median = quantile(seconds, 0.5);
    return {.median = median,
            .p95 = quantile(seconds, 0.95),
            .spread = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median,
            .samples = static_cast<int>(seconds.size()),
            .launches_per_sample = static_cast<int>(launches)};
}

bool tie(const Timing& a, const Timing& b) {
    return std::fabs(a.median - b.median) <= (a.median * a.spread + b.median * b.spread) / 2;
}

}  // namespace weft::bench
