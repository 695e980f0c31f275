#include "app/pipeline/race/race_report.h"

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

double ratio_of_medians(const Samples& above, const Samples& below) {
    const double seconds = below.median_seconds();
    return seconds > 0 ? above.median_seconds() / seconds : 0.0;
}

struct Range {
    double low, high;
};

// The order statistics that contain the median of the distribution with 95 % probability: for n
// samples, the ranks within 0.98 √n of the middle one.
Range median_range(const Samples& samples) {
    const auto kept = static_cast<double>(samples.kept().size());
    const double away = 0.98 / std::sqrt(kept);
    return {samples.quantile_seconds(std::max(0.5 - away, 0.0)),
            samples.quantile_seconds(std::min(0.5 + away, 1.0))};
}

}  // namespace

double gigabytes_per_second(const StepResult& step, const Samples& seconds) {
    const double median = seconds.median_seconds();
    return median > 0 ? step.bytes / median * 1e-9 : 0.0;
}

double fraction_of_limit(const StepResult& step, const KernelResult& kernel) {
    return ratio_of_medians(step.copy, kernel.seconds);
}

double speed_up(const StepResult& step, const KernelResult& kernel) {
    const auto baseline = std::ranges::find(step.kernels, step.baseline, &KernelResult::kernel);
    return baseline == step.kernels.end() ? 0.0
                                          : ratio_of_medians(baseline->seconds, kernel.seconds);
}

bool is_wrong(const KernelResult& kernel) {
    return kernel.error.pixels > 0 && !(kernel.error.largest <= kernel.allowed_difference);
}

bool is_tie(const Samples& a, const Samples& b) {
    if (a.count() == 0 || b.count() == 0) return false;
    const Range of_a = median_range(a);
    const Range of_b = median_range(b);
    if (of_a.low <= of_b.high && of_b.low <= of_a.high) return true;
    const double apart = std::fabs(a.median_seconds() - b.median_seconds());
    return apart <= 0.01 * std::min(a.median_seconds(), b.median_seconds());
}

}  // namespace weft
