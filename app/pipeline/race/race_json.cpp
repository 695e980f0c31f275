#include "app/pipeline/race/race_json.h"

#include <cmath>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// Unknown numbers are null, not 0.
Json known(double value) {
    return value > 0 && std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json timing_json(const StepResult& step, const Samples& samples) {
    const bool any = samples.count() > 0;
    return {{"samples", samples.count()},
            {"median_ms", any ? Json(samples.median_seconds() * 1e3) : Json(nullptr)},
            {"p95_ms", any ? Json(samples.p95_seconds() * 1e3) : Json(nullptr)},
            {"gigabytes_per_second", known(gigabytes_per_second(step, samples))}};
}

}  // namespace

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
    return json;
}

Json race_step_json(std::size_t number, const StepResult& step) {
    Json kernels = Json::array();
    for (const KernelResult& kernel : step.kernels)
        kernels.push_back(race_kernel_json(step, kernel));
    return {{"step", number},
            {"filter", step.filter},
            {"work", step.work},
            {"explanation", step.explanation},
            {"reference", step.reference},
            {"exact", step.exact},
            {"baseline", step.baseline},
            {"bytes", step.bytes},
            {"copy", timing_json(step, step.copy)},
            {"kernels", std::move(kernels)}};
}

}  // namespace weft
