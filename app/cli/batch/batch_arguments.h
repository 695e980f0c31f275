// The command line of `weft batch`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/batch/batch_options.h"

namespace weft {

// Returns nothing if help was requested. Checks everything that needs no files. With --run, only
// that option and those that a plan does not store are set: see parse_planned_batch(). Throws
// Error(usage).
std::optional<BatchOptions> parse_batch(std::span<const std::string> arguments);

// The options of --run: the arguments, and stack and options of the plan. Throws Error(usage).
BatchOptions parse_planned_batch(std::span<const std::string> arguments, const PlanHead& plan);

std::string batch_help();

}  // namespace weft
