// The command line of `weft batch`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/batch/batch_options.h"

namespace weft {

// Returns nothing if help was requested. Checks everything that needs no files. Throws
// Error(usage).
std::optional<BatchOptions> parse_batch(std::span<const std::string> arguments);

std::string batch_help();

}  // namespace weft
