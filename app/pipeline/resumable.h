// Which outputs can be continued after an interrupted run; see app/media/write/resume.h.
#pragma once

#include <string>

#include "app/media/write/resume.h"

namespace weft {

// Why no segments of an interrupted run can be kept, as a clause that names the file; empty: they
// can. `format` is -f.
std::string why_not_resumable(const std::string& input, const std::string& output,
                              const std::string& format);

// Facts that decide the frames and are the same for all jobs of this program.
JobFacts program_facts();

// Whether an interrupted run has left segments of this output.
bool has_segments(const std::string& output);

}  // namespace weft
