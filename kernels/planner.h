// Which kernel computes a problem, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/conv_kernel.h"

namespace weft {

// A kernel that was considered and not chosen, and why.
struct PassedOver {
    std::string_view kernel;
    std::string reason;  // the kernel's own sentence, or how much longer it would take
};

struct Plan {
    const ConvKernel* kernel = nullptr;
    std::string reason;  // shown by --dry-run and reports: "5×5 dense u8: columns and rows reused"
    std::vector<PassedOver> passed_over;  // in the order of conv_kernels(); none if one was forced
};

// The kernel with the least ConvKernel::time among those that can run on `device`. `forced` names a
// kernel to use instead (empty: none). Throws std::runtime_error with the kernel's own reason if it
// cannot run, and a list of the valid names if no such kernel exists.
Plan plan(const ConvProblem& problem, const Device& device, std::string_view forced = {});

// The kernel's reason with {size} ("5×3"), {type} ("u8"), {width}, {height} (5, 3) and {sums} (how
// OpenCV adds up: "dense", "factored", "partly factored") filled in.
std::string reason_for(const ConvKernel& kernel, const ConvProblem& problem);

}  // namespace weft
