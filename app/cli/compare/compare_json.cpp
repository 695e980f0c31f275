#include "app/cli/compare/compare_text.h"
#include "app/cli/result_json.h"
#include "app/pipeline/race/race_json.h"
#include "app/pipeline/version.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json race_json(const RaceHeading& heading, const RaceReport& report, ExitCode exit_code) {
    Json steps = Json::array();
    for (std::size_t s = 0; s < report.steps.size(); ++s)
        steps.push_back(race_step_json(s, report.steps[s]));
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
