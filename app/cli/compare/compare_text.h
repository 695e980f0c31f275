// The table of `weft compare`, as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "app/pipeline/device_choice.h"
#include "app/pipeline/race/race_report.h"

namespace weft {

// Facts of the race that are not in the RaceReport.
struct RaceHeading {
    std::string input;
    std::string stack;
    DeviceChoice device;
};

// The file and the device, the progress through the file, and a table for each step.
std::string race_text(const RaceHeading& heading, const RaceReport& report);

// How the columns were measured: printed below the last table.
std::string race_legend(const RaceHeading& heading, const RaceReport& report);

// The reasons for the planner's choices, one paragraph per step.
std::string race_explanation(const RaceReport& report);

// Schema 1; fields are added, never renamed.
nlohmann::ordered_json race_json(const RaceHeading& heading, const RaceReport& report,
                                 ExitCode exit_code);

}  // namespace weft
