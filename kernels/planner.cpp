#include "kernels/planner.h"

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace weft {

namespace {

std::string kernel_names() {
    std::string names;
    for (const ConvKernel& kernel : conv_kernels()) {
        if (!names.empty()) names += ", ";
        names += kernel.name;
    }
    return names;
}

Plan forced_plan(const ConvProblem& p, const Device& device, std::string_view name) {
    const ConvKernel* kernel = find_kernel(name);
    if (kernel == nullptr)
        throw std::runtime_error(
            fmt::format("there is no kernel \"{}\"; the kernels are {}", name, kernel_names()));
    const std::string reason = why_cannot(*kernel, p, device);
    if (!reason.empty())
        throw std::runtime_error(
            fmt::format("kernel {} cannot filter {}: {}", name, describe(p), reason));
    return {kernel, fmt::format("{}: asked for by name", describe(p)), {}};
}

bool runs_on(const ConvKernel& kernel, const Device& device) {
    return (kernel.space == MemorySpace::device) == device.is_gpu();
}

std::string why_passed_over(const PolicyRow& row, const ConvKernel& kernel, const ConvProblem& p,
                            const Device& device) {
    if (std::string reason = why_cannot(kernel, p, device); !reason.empty()) return reason;
    return row.holds(p, device) ? "" : fmt::format("it is chosen for {}", row.words);
}

[[noreturn]] void refuse(const ConvProblem& p, const Device& device, const Plan& nothing) {
    std::string refusals;
    for (const PassedOver& over : nothing.passed_over)
        refusals += fmt::format("; {}: {}", over.kernel, over.reason);
    throw std::runtime_error(
        fmt::format("no kernel can filter {} on {}{}", describe(p), device.name, refusals));
}

}  // namespace

Plan plan(const ConvProblem& problem, const Device& device, std::string_view forced) {
    validate(problem);
    if (!forced.empty()) return forced_plan(problem, device, forced);
    Plan chosen;
    for (const PolicyRow& row : planner_policy()) {
        const ConvKernel* kernel = find_kernel(row.kernel);
        if (kernel == nullptr || !runs_on(*kernel, device)) continue;
        const std::string reason = why_passed_over(row, *kernel, problem, device);
        std::erase_if(chosen.passed_over,
                      [&](const PassedOver& over) { return over.kernel == row.kernel; });
        if (reason.empty()) {
            chosen.kernel = kernel;
            chosen.reason = reason_for(row, problem);
            return chosen;
        }
        chosen.passed_over.push_back({row.kernel, reason});
    }
    refuse(problem, device, chosen);
}

}  // namespace weft
