// The kernels that a user has chosen by hand for steps of a stack that is being edited.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/viewer/stack_editor.h"
#include "app/viewer/stack_request.h"

namespace weft {

// Choices stay with their step when steps are moved, switched off or taken out and put back.
class KernelChoice {
 public:
    // An empty name leaves the step to the planner.
    void set(StepId step, std::string kernel);
    const std::string& of(StepId step) const;  // empty: the planner's

    // The active steps with their kernels.
    StackRequest request(const StackEditor& stack) const;
    // The kernels of `request` for the active steps, which are its stack's.
    void take(const StackRequest& request, const StackEditor& stack);

 private:
    std::map<StepId, std::string> chosen_;
};

// The ids of the steps that `stack.active()` holds, in its order.
std::vector<StepId> active_ids(const StackEditor& stack);

}  // namespace weft
