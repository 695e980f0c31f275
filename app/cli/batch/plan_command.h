// `weft batch --plan`: checks a batch and writes its plan.
#pragma once

#include <vector>

#include "app/batch/batch_options.h"
#include "app/cli/batch/fitting_options.h"
#include "app/cli/signals.h"
#include "filters/stack.h"

namespace weft {

// A batch, fully known except for the contents of its files.
struct CheckedBatch {
    const BatchOptions& options;
    const std::vector<JobFile>& files;
    const FittingOptions& fitting;
    const Stack& stack;
};

// Files that are skipped because of -n are left out. Throws Error(usage) for every error that would
// end the run with exit code 2, as far as the headers of the files show it; Cancelled.
Outcome make_plan(const CheckedBatch& batch, const SignalWatch& signals);

}  // namespace weft
