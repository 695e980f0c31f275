// Kernels chosen by the user for steps of the edited stack.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/viewer/edit/stack_editor.h"
#include "app/viewer/screen/stack_request.h"

namespace weft {

// Choices stay with their step when it is moved, disabled, or removed and restored.
class KernelChoice {
 public:
    // An empty name leaves the step to the planner.
    void set(StepId step, std::string kernel);
    const std::string& of(StepId step) const;  // empty: chosen by the planner

    // The active steps and their kernels.
    StackRequest request(const StackEditor& stack) const;
    // Applies the kernels of `request` to the active steps, which must match its stack.
    void take(const StackRequest& request, const StackEditor& stack);

 private:
    std::map<StepId, std::string> chosen_;
};

// The ids of the steps in `stack.active()`, in the same order.
std::vector<StepId> active_ids(const StackEditor& stack);

}  // namespace weft
