#include "app/viewer/race/race_export.h"

#include "app/media/output/atomic_output.h"
#include "app/pipeline/race/race_json.h"
#include "app/pipeline/report/json_text.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// The step without the kernels that were not selected.
StepResult raced_step(const RaceSnapshot& snapshot) {
    StepResult step = snapshot.step;
    std::erase_if(step.kernels, [&](const KernelResult& kernel) {
        return !takes_part(snapshot.settings, snapshot.step, kernel);
    });
    return step;
}

std::string_view caches_text(CacheState caches) {
    return caches == CacheState::cold ? "cold" : "warm";
}

std::string csv_field(const Json& value) {
    if (value.is_null()) return "";
    if (!value.is_string()) return value.dump();
    std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2))
        text.insert(at, 1, '"');
    return "\"" + text + "\"";
}

// Each kernel's line as an object; its keys are the columns.
Json csv_rows(const RaceSnapshot& snapshot, const RaceOrigin& origin) {
    Json rows = Json::array();
    const StepResult step = raced_step(snapshot);
    for (const KernelResult& kernel : step.kernels) {
        Json row = race_kernel_json(step, kernel);
        row["step"] = snapshot.settings.step;
        row["filter"] = step.filter;
        row["reference"] = step.reference;
        row["baseline"] = step.baseline;
        row["caches"] = caches_text(snapshot.settings.caches);
        row["device"] = snapshot.device.name;
        row["input"] = origin.input;
        row["stack"] = origin.stack;
        rows.push_back(std::move(row));
    }
    return rows;
}

bool ends_with_csv(const std::string& path) {
    return path.ends_with(".csv") || path.ends_with(".CSV");
}

}  // namespace

std::string race_csv(const RaceSnapshot& snapshot, const RaceOrigin& origin) {
    const Json rows = csv_rows(snapshot, origin);
    std::string text;
    if (rows.empty()) return text;
    const auto add_line = [&](const auto& field_of) {
        std::string line;
        for (const auto& item : rows.front().items()) {
            if (!line.empty()) line += ',';
            line += field_of(item.key());
        }
        text += line + "\r\n";
    };
    add_line([](const std::string& name) { return name; });
    for (const Json& row : rows)
        add_line([&](const std::string& name) { return csv_field(row[name]); });
    return text;
}

std::string race_json(const RaceSnapshot& snapshot, const RaceOrigin& origin) {
    const bool gpu = snapshot.device.is_gpu();
    Json json = {{"schema", 1},
                 {"weft", origin.program},
                 {"device", {{"name", snapshot.device.name}, {"kind", gpu ? "cuda" : "cpu"}}},
                 {"input", origin.input},
                 {"stack", origin.stack},
                 {"frames", snapshot.frames},
                 {"clock", gpu ? "gpu_events" : "steady_clock"},
                 {"caches", caches_text(snapshot.settings.caches)},
                 {"steps", Json::array()}};
    json["steps"].push_back(race_step_json(snapshot.settings.step, raced_step(snapshot)));
    return json_page(json);
}

void write_race(const std::string& path, const RaceSnapshot& snapshot, const RaceOrigin& origin) {
    AtomicOutput file(path, {.overwrite = Overwrite::replace});
    file.write(ends_with_csv(path) ? race_csv(snapshot, origin) : race_json(snapshot, origin));
    file.commit();
}

}  // namespace weft
