#include "app/pipeline/race/race_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/pipeline/race/race_limits.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

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

// Unknown numbers are null, not 0.
Json known(double value) {
    return value > 0 && std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json timing_json(const StepResult& step, const Samples& samples) {
    const bool any = samples.count() > 0;
    return {{"samples", samples.count()},
            {"median_ms", any ? Json(samples.median_seconds() * 1e3) : Json(nullptr)},
            {"p95_ms", any ? Json(samples.p95_seconds() * 1e3) : Json(nullptr)},
            {"p5_ms", any ? Json(samples.quantile_seconds(0.05) * 1e3) : Json(nullptr)},
            {"gigabytes_per_second", known(gigabytes_per_second(step, samples))}};
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

std::string duration_text(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.1f} µs", seconds * 1e6);
    return fmt::format("{:.{}f} ms", seconds * 1e3, seconds < 0.1 ? 2 : 1);
}

std::string number_text(double value, int decimals, const char* unit) {
    return value > 0 ? fmt::format("{:.{}f}{}", value, decimals, unit) : "-";
}

std::string median_text(const Samples& samples) {
    return samples.count() > 0 ? duration_text(samples.median_seconds()) : "-";
}

std::string p95_text(const Samples& samples) {
    return samples.count() > 0 ? duration_text(samples.p95_seconds()) : "-";
}

std::string spread_text(const Samples& samples) {
    if (samples.count() == 0) return "-";
    return fmt::format("{} to {}", duration_text(samples.quantile_seconds(0.05)),
                       duration_text(samples.p95_seconds()));
}

std::string error_text(const ImageDifference& error) {
    if (error.pixels == 0) return "-";
    return short_number(error.largest, 2);
}

std::string differing_text(const ImageDifference& error) {
    if (error.pixels == 0) return "-";
    const double percent = 100 * error.differing_fraction();
    if (percent > 0 && percent < 0.01) return "<0.01 %";
    return fmt::format("{:.2f} %", percent);
}

Json race_kernel_json(const StepResult& step, const KernelResult& kernel) {
    const bool judged = kernel.error.pixels > 0;
    Json json = {
        {"kernel", kernel.kernel}, {"planned", kernel.planned}, {"why_not", kernel.why_not}};
    json.update(timing_json(step, kernel.seconds));
    json["fraction_of_limit"] = known(fraction_of_limit(step, kernel));
    json["speed_up"] = known(speed_up(step, kernel));
    json["max_error"] =
        judged && std::isfinite(kernel.error.largest) ? Json(kernel.error.largest) : Json(nullptr);
    json["pixels"] = kernel.error.pixels;
    json["pixels_differing"] = kernel.error.differing;
    json.update(limits_json(step, kernel));
    return json;
}

Json race_step_json(std::size_t number, const StepResult& step) {
    Json kernels = Json::array();
    for (const KernelResult& kernel : step.kernels)
        kernels.push_back(race_kernel_json(step, kernel));
    return {{"step", number},
            {"filter", step.filter},
            {"text", step.text},
            {"problems", step.problems},
            {"work", step.work},
            {"explanation", step.explanation},
            {"reference", step.reference},
            {"exact", step.exact},
            {"baseline", step.baseline},
            {"bytes", step.bytes},
            {"empty_launch", timing_json(step, step.empty)},
            {"copy", timing_json(step, step.copy)},
            {"peak", peak_json(step.peak)},
            {"kernels", std::move(kernels)}};
}

}  // namespace weft
