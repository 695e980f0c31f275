#include "kernels/planner.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/cpu/opencv_sum.h"

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

// How OpenCV sums the tap sets.
std::string_view opencv_sums(const ConvProblem& p) {
    if (every_tap_set(p, prefers_factors)) return "factored";
    return every_tap_set(p, [](const Taps& t) { return !prefers_factors(t); }) ? "dense"
                                                                               : "partly factored";
}

struct Candidate {
    const ConvKernel* kernel = nullptr;
    std::string why_not;
    double time = std::numeric_limits<double>::infinity();
};

std::vector<Candidate> candidates_for(const ConvProblem& p, const Device& device) {
    std::vector<Candidate> candidates;
    for (const ConvKernel& kernel : conv_kernels()) {
        if (kernel.time == nullptr || !runs_on(kernel, device)) continue;
        Candidate& candidate = candidates.emplace_back(&kernel, why_cannot(kernel, p, device));
        if (candidate.why_not.empty()) candidate.time = kernel.time(p, device);
    }
    return candidates;
}

std::string why_passed_over(const Candidate& candidate, double least) {
    if (!candidate.why_not.empty()) return candidate.why_not;
    if (std::isinf(candidate.time)) return "it is used for such problems by name only";
    return fmt::format("it would take about {:.1f} times as long", candidate.time / least);
}

[[noreturn]] void refuse(const ConvProblem& p, const Device& device,
                         const std::vector<Candidate>& candidates) {
    std::string refusals;
    std::string names;  // of neighbours with the same reason
    for (auto c = candidates.begin(); c != candidates.end(); ++c) {
        names += fmt::format("{} {}", names.empty() ? ";" : ",", c->kernel->name);
        const std::string reason = why_passed_over(*c, c->time);
        const auto next = std::next(c);
        if (next != candidates.end() && why_passed_over(*next, next->time) == reason) continue;
        refusals += fmt::format("{}: {}", names, reason);
        names.clear();
    }
    throw std::runtime_error(
        fmt::format("no kernel can filter {} on {}{}", describe(p), device.name, refusals));
}

}  // namespace

Plan plan(const ConvProblem& problem, const Device& device, std::string_view forced) {
    validate(problem);
    if (!forced.empty()) return forced_plan(problem, device, forced);
    const std::vector<Candidate> candidates = candidates_for(problem, device);
    const auto best = std::ranges::min_element(candidates, {}, &Candidate::time);
    if (best == candidates.end() || std::isinf(best->time)) refuse(problem, device, candidates);
    Plan chosen{best->kernel, reason_for(*best->kernel, problem), {}};
    for (const Candidate& candidate : candidates)
        if (&candidate != &*best)
            chosen.passed_over.push_back(
                {candidate.kernel->name, why_passed_over(candidate, best->time)});
    return chosen;
}

std::string reason_for(const ConvKernel& kernel, const ConvProblem& p) {
    const Taps& t = p.taps();
    return fmt::format(fmt::runtime(kernel.reason),
                       fmt::arg("size", fmt::format("{}×{}", t.width, t.height)),
                       fmt::arg("type", name_of(p.type)), fmt::arg("width", t.width),
                       fmt::arg("height", t.height), fmt::arg("sums", opencv_sums(p)));
}

}  // namespace weft
