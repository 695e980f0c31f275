// Which kernel computes a problem, and why.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/conv_kernel.h"

namespace weft {

// A kernel that the policy prefers to the one chosen, and why it was passed over.
struct PassedOver {
    std::string_view kernel;
    std::string reason;  // the kernel's own sentence, or the use that the policy keeps it for
};

struct Plan {
    const ConvKernel* kernel = nullptr;
    std::string reason;  // shown by --dry-run and reports: "5×5 dense u8: columns and rows reused"
    std::vector<PassedOver> passed_over;  // in the policy's order; empty for a forced kernel
};

// Picks by planner_policy() among the kernels that can run on `device`. `forced` names a
// kernel to use instead (empty: none). Throws std::runtime_error with the kernel's own reason if it
// cannot run, and a list of the valid names if no such kernel exists.
Plan plan(const ConvProblem& problem, const Device& device, std::string_view forced = {});

// One of the planner's preferences: a table that is read from the top. Adding a kernel to the
// policy is one row in planner_policy.cpp.
struct PolicyRow {
    std::string_view kernel;  // of conv_kernels()
    // Problems for which it is the first choice of those below, if its why_not lets it run. The
    // words complete "it is chosen for …".
    std::string_view words;
    bool (*holds)(const ConvProblem&, const Device&) = nullptr;  // by the device's gpu_rates()
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
