// The command line of `weft compare`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/cli/shared_options.h"
#include "app/media/read/reader.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/race/kernel_race.h"

namespace weft {

struct CompareOptions {
    StackWords stack;
    ReaderOptions reader;
    RaceOptions race;
    GpuRequest gpu;
    bool explain = false;
    std::optional<std::string> json;  // report file; "-": standard output
};

// Returns nothing if help was requested. Throws Error(usage).
std::optional<CompareOptions> parse_compare(std::span<const std::string> arguments);

std::string compare_help();

}  // namespace weft
