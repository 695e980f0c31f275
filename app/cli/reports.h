// Plans and results as users read them: the text of --dry-run and --explain, and JSON. The schema
// of `weft batch --json` is 1, which docs/report.schema.json describes; fields are added, never
// renamed.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/batch/batch_events.h"
#include "app/batch/job_list.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/pipeline.h"

namespace weft {

struct BatchSummary {
    DeviceChoice devices;       // none if there are no files
    int jobs = 1;               // files at once
    std::string stack;          // as it was typed
    std::string resolved = {};  // with every value, as print_resolved() writes it
    Outcome outcome = Outcome::ok;
    std::vector<std::string> notes = {};  // about all files together
    BatchTally tally = {};
    std::size_t files = 0;
};

nlohmann::ordered_json device_json(const Device& device);
nlohmann::ordered_json device_json(const DeviceChoice& choice);  // the first one; null if none
// The fields "device", for the first, and "devices".
nlohmann::ordered_json devices_json(const DeviceChoice& choice);
nlohmann::ordered_json damage_json(const DamageReport& damage);  // null if not damaged
nlohmann::ordered_json times_json(const Durations& times);       // median, p95 and total
nlohmann::ordered_json result_json(const FileResult& result);
nlohmann::ordered_json batch_json(const BatchSummary& summary,
                                  const std::vector<FileResult>& results);

nlohmann::ordered_json tally_json(const BatchTally& tally);  // "counts" and "wall_seconds"

// The end of a batch of several files: "310 done, 3 skipped, 2 failed, in 2:31", then up to twenty
// damaged and failed files with the reason, one per line.
std::string closing_text(const BatchTally& tally, const std::vector<FileResult>& results);

// The plan that --dry-run prints with --json.
nlohmann::ordered_json plan_json(const FilePlan& plan);

// --dry-run, in several lines: the file, its frames, the output, and one line per stream and per
// step with the kernel and the reason; with `explain` (--explain), the reasons in detail.
std::string plan_text(const JobFile& file, const FilePlan& plan, bool explain);

// Indents StepPlan::explanation() of one step.
std::string explanation_text(const std::vector<std::string>& explanation);

}  // namespace weft
