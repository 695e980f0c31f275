// What the frames that a job writes depend on, for runs that go on where another ended.
#pragma once

#include "app/media/resume.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/opened_input.h"

namespace weft {

// The input by size, time and beginning, which frames of it, who decodes, and what every step does
// where. A GPU's frames may differ from a CPU's, and one kernel's from another's, by one level:
// none are mixed in a file. Throws Error(failed) for an input that is no file.
JobFacts frame_facts(const FileJob& job, const OpenedInput& opened);

}  // namespace weft
