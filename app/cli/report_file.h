// Where --json and --trace go.
#pragma once

#include <string>
#include <string_view>

#include "app/media/atomic_output.h"
#include "app/pipeline/trace.h"

namespace weft {

// Throws Error(usage) if `where`, the file of `option`, exists and may not be replaced: without -y
// only an empty file and what the program itself has written, a report or a timeline, are. Throws
// Error(not_written) if it cannot be written for another reason.
void check_report_file(std::string_view option, const std::string& where, Overwrite overwrite);

// To standard output if `where` is "-"; else to that file, complete or not at all. Throws
// Error(not_written), or Error(usage) as above.
void write_report(const std::string& where, const std::string& text,
                  Overwrite overwrite = Overwrite::refuse);

// To that file, complete or not at all. Throws as write_report().
void write_trace(const std::string& where, const Trace& trace, Overwrite overwrite);

}  // namespace weft
