// `weft batch --run FILE --check`: the files without a valid receipt.
#pragma once

#include "app/batch/batch_options.h"
#include "app/batch/plan_state.h"
#include "app/cli/signals.h"

namespace weft {

// Prints the missing files in the form of options.check and returns ok if no file is missing,
// otherwise some_failed. With options.watch it prints the progress until nothing is missing or a
// signal arrives. Throws Error(not_written).
Outcome check_plan(const BatchOptions& options, PlanState state, const std::string& plan_hash,
                   const SignalWatch& signals);

}  // namespace weft
