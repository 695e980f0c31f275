// Which kernel computes a problem, and why.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/conv_kernel.h"
#include "kernels/conv_problem.h"

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

struct PolicyRow {
    std::string_view kernel;  // a row of conv_kernels()
    // Problems for which it is the first choice of those below, if its why_not lets it run. The
    // words complete "it is chosen for …".
    std::string_view words;
    bool (*holds)(const ConvProblem&) = nullptr;
    // Shown when it is chosen: "{size} dense {type}: …", see reason_for().
    std::string_view reason;
};

// In the order of preference; a kernel may have several rows. A device considers those whose
// kernels run on it.
std::span<const PolicyRow> planner_policy();

// The row's reason with {size} ("5×3"), {type} ("u8"), {width}, {height}, {area} (5, 3, 15) and
// {sums} (how OpenCV adds up: "dense", "factored", "partly factored") filled in.
std::string reason_for(const PolicyRow& row, const ConvProblem& problem);

}  // namespace weft
