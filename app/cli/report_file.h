// Where --json and --trace go.
#pragma once

#include <string>

#include "app/pipeline/trace.h"

namespace weft {

// To standard output if `where` is "-"; else to that file, complete or not at all. Throws
// Error(not_written).
void write_report(const std::string& where, const std::string& text);

// To that file, complete or not at all. Throws Error(not_written).
void write_trace(const std::string& where, const Trace& trace);

}  // namespace weft
