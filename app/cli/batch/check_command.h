// `weft batch --run FILE --check`: the files without a valid receipt.
#pragma once

#include <string>
#include <vector>

#include "app/batch/batch_options.h"
#include "app/batch/plan_state.h"
#include "app/cli/batch/fitting_options.h"
#include "app/cli/signals.h"
#include "filters/stack.h"

namespace weft {

// All files of the plan options.run, which `plan` has opened, those of other shards marked.
// options.job.writer.run must exist; the plan and the inputs of the shard are added to it. Throws
// Error(usage) as planned_jobs().
std::vector<JobFile> files_of_plan(const BatchOptions& options, PlanReader& plan);

// The state of options.run; `files` are those of files_of_plan(). The other arguments must outlive
// it. Throws Error(usage) as PlanReader::next(), Error(failed) if the plan has been replaced.
PlanState state_of_plan(const BatchOptions& options, std::vector<JobFile> files,
                        const FittingOptions& fitting, const Stack& stack);

// "97 of 100 files done, 1 damaged, 2 missing in 2 of 4 shards"
std::string summary_text(const PlanState& state);
// "1203 frames, 24.3 frames/s, 0:10 left": rate and time as far as they are known.
std::string pace_text(const PlanState& state);

// Prints the missing files in the form of options.check and returns ok if no file is missing,
// otherwise some_failed. With options.watch it prints the progress until nothing is missing or a
// signal arrives. Throws Error(not_written).
Outcome check_plan(const BatchOptions& options, PlanState state, const std::string& plan_hash,
                   const SignalWatch& signals);

}  // namespace weft
