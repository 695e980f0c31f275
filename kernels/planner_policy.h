// The planner's preferences: a table that is read from the top. Adding a kernel to the policy is
// one row in planner_policy.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/conv_problem.h"

namespace weft {

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
