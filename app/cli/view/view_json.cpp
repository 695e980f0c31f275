#include "app/cli/view/view_json.h"

#include "app/pipeline/version.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json percentiles(const Durations& times) {
    const auto ms = [&](double fraction) { return times.quantile_seconds(fraction) * 1e3; };
    return {{"count", times.count()},
            {"median_ms", ms(0.5)},
            {"p95_ms", ms(0.95)},
            {"p99_ms", ms(0.99)},
            {"max_ms", ms(1)}};
}

}  // namespace

Json view_json(const SessionReport& report) {
    return {{"schema", 1},
            {"version", kVersion},
            {"device", report.device},
            {"opengl_renderer", report.renderer},
            {"interop", report.why_no_interop.empty()},
            {"why_no_interop", report.why_no_interop},
            {"decoded_on_gpu", report.decoded_on_gpu},
            {"frames_shown", report.frames_shown},
            {"frames_dropped", report.frames_dropped},
            {"redraws", report.redraws},
            {"redraw", percentiles(report.frame_seconds)},
            {"swap", percentiles(report.swap_seconds)},
            {"shown_interval", percentiles(report.shown_interval_seconds)},
            {"errors", report.errors}};
}

}  // namespace weft
