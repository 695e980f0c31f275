// A stack as it is to be computed.
#pragma once

#include <string>
#include <vector>

#include "filters/stack.h"

namespace weft {

// A stack, and the kernels that its steps are to take: one a step or none; "" leaves it to the
// planner.
struct StackRequest {
    Stack stack;
    std::vector<std::string> kernels;

    bool operator==(const StackRequest&) const = default;
};

}  // namespace weft
