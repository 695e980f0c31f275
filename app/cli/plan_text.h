// What --dry-run prints.
#pragma once

#include <string>

#include "app/cli/job_list.h"
#include "app/pipeline/pipeline.h"

namespace weft {

// Several lines: the file, its frames, and a line a step with the kernel and the reason.
std::string plan_text(const JobFile& file, const FilePlan& plan);

}  // namespace weft
