// The command line of `weft view`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/cli/shared_options.h"
#include "app/pipeline/device_choice.h"
#include "app/viewer/shell/view_options.h"

namespace weft {

struct ViewCommand {
    ViewOptions view;  // all but the device
    GpuRequest gpu;
    std::optional<std::string> json;  // report file; "-": standard output
};

// Returns nothing if help was requested. Throws Error(usage) or FilterError.
std::optional<ViewCommand> parse_view(std::span<const std::string> arguments);

std::string view_help();

}  // namespace weft
