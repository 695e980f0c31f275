// The table of `weft compare`, for people and for programs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "app/pipeline/device_choice.h"
#include "app/pipeline/race_report.h"

namespace weft {

// What was compared, beside what came of it.
struct RaceHeading {
    std::string input;
    std::string stack;
    DeviceChoice device;
};

// The file and the device, how far the file is played, and a table for each step.
std::string race_text(const RaceHeading& heading, const RaceReport& report);

// How the columns were measured: for below the last table.
std::string race_legend(const RaceHeading& heading, const RaceReport& report);

// Why the planner chose what it did, a paragraph a step.
std::string race_explanation(const RaceReport& report);

// Schema 1; fields are added, never renamed.
nlohmann::ordered_json race_json(const RaceHeading& heading, const RaceReport& report,
                                 ExitCode exit_code);

}  // namespace weft
