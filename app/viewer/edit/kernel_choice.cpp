#include "app/viewer/edit/kernel_choice.h"

#include <algorithm>

namespace weft {

void KernelChoice::set(StepId step, std::string kernel) {
    if (kernel.empty())
        chosen_.erase(step);
    else
        chosen_[step] = std::move(kernel);
}

const std::string& KernelChoice::of(StepId step) const {
    static const std::string none;
    const auto found = chosen_.find(step);
    return found == chosen_.end() ? none : found->second;
}

StackRequest KernelChoice::request(const StackEditor& stack) const {
    StackRequest request{stack.active(), {}};
    for (const StepId step : active_ids(stack)) request.kernels.push_back(of(step));
    return request;
}

void KernelChoice::take(const StackRequest& request, const StackEditor& stack) {
    const std::vector<StepId> ids = active_ids(stack);
    for (std::size_t k = 0; k < std::min(ids.size(), request.kernels.size()); ++k)
        set(ids[k], request.kernels[k]);
}

std::vector<StepId> active_ids(const StackEditor& stack) {
    std::vector<StepId> ids;
    for (const EditedStep& edited : stack.steps())
        if (edited.enabled && step_problem(edited.step).empty()) ids.push_back(edited.id);
    return ids;
}

}  // namespace weft
