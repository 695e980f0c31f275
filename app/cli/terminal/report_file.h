// Writes the files of --json and --trace.
#pragma once

#include <string>
#include <string_view>

#include "app/media/output/atomic_output.h"
#include "app/pipeline/report/trace.h"

namespace weft {

// Throws Error(usage) if `where`, the file of `option`, exists and must not be replaced: without -y
// only an empty file and one written by the program itself, a report or a timeline, may be. Throws
// Error(not_written) if it cannot be written for another reason.
void check_report_file(std::string_view option, const std::string& where, Overwrite overwrite);

// Writes to standard output if `where` is "-"; otherwise to that file, atomically. Throws
// Error(not_written), or Error(usage) as above.
void write_report(const std::string& where, const std::string& text,
                  Overwrite overwrite = Overwrite::refuse);

// Writes that file atomically. Throws like write_report().
void write_trace(const std::string& where, const Trace& trace, Overwrite overwrite);

}  // namespace weft
