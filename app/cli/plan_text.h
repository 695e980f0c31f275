// Output of --dry-run and --explain.
#pragma once

#include <string>
#include <vector>

#include "app/batch/job_list.h"
#include "app/pipeline/pipeline.h"

namespace weft {

// Several lines: the file, its frames, and one line per step with the kernel and the reason; with
// `explain` (--explain), the reasons in detail.
std::string plan_text(const JobFile& file, const FilePlan& plan, bool explain);

// StepPlan::explanation() of one step, indented.
std::string explanation_text(const std::vector<std::string>& explanation);

}  // namespace weft
