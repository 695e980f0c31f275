// Where --json goes.
#pragma once

#include <string>

namespace weft {

// To standard output if `where` is "-"; else to that file, complete or not at all. Throws
// Error(not_written).
void write_report(const std::string& where, const std::string& text);

}  // namespace weft
