#include "app/viewer/kernel_choice.h"

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

std::vector<std::string> KernelChoice::by_step(const StackEditor& stack) const {
    std::vector<std::string> kernels;
    for (const StepId step : active_ids(stack)) kernels.push_back(of(step));
    return kernels;
}

std::vector<StepId> active_ids(const StackEditor& stack) {
    std::vector<StepId> ids;
    for (const EditedStep& edited : stack.steps())
        if (edited.enabled && step_problem(edited.step).empty()) ids.push_back(edited.id);
    return ids;
}

}  // namespace weft
