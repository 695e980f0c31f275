// One step of a race as JSON, shared by `weft compare --json` and the window's export. Fields are
// added, never renamed.
#pragma once

#include <cstddef>

#include <nlohmann/json.hpp>

#include "app/pipeline/race/race_report.h"

namespace weft {

// Unknown values are null.
nlohmann::ordered_json race_kernel_json(const StepResult& step, const KernelResult& kernel);
nlohmann::ordered_json race_step_json(std::size_t number, const StepResult& step);

}  // namespace weft
