// Which kernel computes a problem, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/conv_kernel.h"

namespace weft {

// A kernel that the policy prefers to the one chosen, and why it was passed over.
struct PassedOver {
    std::string_view kernel;
    std::string reason;  // its row's own sentence, or the use that the policy keeps it for
};

struct Plan {
    const ConvKernel* kernel = nullptr;
    std::string reason;  // shown by --dry-run and reports: "5×5 dense u8: columns and rows reused"
    std::vector<PassedOver> passed_over;  // in the policy's order; empty for a forced kernel
};

// Picks by the table of planner_policy.h among the rows that can run on `device`. `forced` names a
// row to use instead (empty: none). Throws std::runtime_error with the row's own reason if the
// forced row cannot run, and a list of the valid names if no such row exists.
Plan plan(const ConvProblem& problem, const Device& device, std::string_view forced = {});

}  // namespace weft
