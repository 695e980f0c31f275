// A filter stack to compute.
#pragma once

#include <string>
#include <vector>

#include "filters/stack.h"

namespace weft {

// A stack and the kernels for its steps: one per step, or empty; "" leaves the choice to the
// planner.
struct StackRequest {
    Stack stack;
    std::vector<std::string> kernels;

    bool operator==(const StackRequest&) const = default;
};

}  // namespace weft
