// The report of `weft batch --json`. Its schema is 1; fields are added, never renamed.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/pipeline/device_choice.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/pipeline.h"

namespace weft {

struct BatchSummary {
    DevicesChoice devices;
    int jobs = 1;  // files at once
    std::string stack;
    ExitCode exit_code = ExitCode::ok;
    std::vector<std::string> notes = {};  // about all files together
};

nlohmann::ordered_json device_json(const Device& device);
nlohmann::ordered_json device_json(const DeviceChoice& choice);
// The fields "device", for the first, and "devices".
nlohmann::ordered_json devices_json(const DevicesChoice& choice);
nlohmann::ordered_json damage_json(const DamageReport& damage);  // null if not damaged
nlohmann::ordered_json times_json(const Durations& times);       // median, p95 and total
nlohmann::ordered_json result_json(const FileResult& result);
nlohmann::ordered_json batch_json(const BatchSummary& summary,
                                  const std::vector<FileResult>& results);

// --dry-run
nlohmann::ordered_json plan_json(const FilePlan& plan);

}  // namespace weft
