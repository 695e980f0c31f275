#include <cmath>

#include "app/cli/compare_text.h"
#include "app/cli/result_json.h"
#include "app/cli/version.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// Numbers that are not known are null, not 0.
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

Json kernel_json(const StepResult& step, const KernelResult& kernel) {
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

Json step_json(std::size_t number, const StepResult& step) {
    Json kernels = Json::array();
    for (const KernelResult& kernel : step.kernels) kernels.push_back(kernel_json(step, kernel));
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

}  // namespace

Json race_json(const RaceHeading& heading, const RaceReport& report, ExitCode exit_code) {
    Json steps = Json::array();
    for (std::size_t s = 0; s < report.steps.size(); ++s)
        steps.push_back(step_json(s, report.steps[s]));
    return {{"schema", 1},
            {"weft", kVersion},
            {"device", device_json(heading.device)},
            {"input", heading.input},
            {"stack", heading.stack},
            {"exit_code", static_cast<int>(exit_code)},
            {"width", report.info.width},
            {"height", report.info.height},
            {"pix_fmt", report.pixel_format},
            {"frames", report.frames},
            {"media_seconds", report.media_seconds},
            {"clock", heading.device.device.is_gpu() ? "gpu_events" : "steady_clock"},
            {"notes", report.notes},
            {"damage", damage_json(report.damage)},
            {"steps", std::move(steps)}};
}

}  // namespace weft
