#include "app/pipeline/race_report.h"

#include <algorithm>

namespace weft {
namespace {

double ratio_of_medians(const Samples& above, const Samples& below) {
    const double seconds = below.median_seconds();
    return seconds > 0 ? above.median_seconds() / seconds : 0.0;
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

}  // namespace weft
