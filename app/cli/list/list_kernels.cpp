#include <array>

#include <fmt/format.h>

#include "app/cli/list/list_tables.h"
#include "app/cli/terminal/text_table.h"
#include "app/pipeline/names.h"
#include "filters/made_taps.h"
#include "kernels/layers/layer_kernel.h"
#include "kernels/planner.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

ConvProblem small_problem(Taps taps) {
    ConvProblem problem;
    problem.width = 1280;
    problem.height = 720;
    problem.conv = {{.taps = {std::move(taps)}, .scale = 1.0F / 16}};
    return problem;
}

// Every kernel can run one of these, so they show why it cannot run on this machine: a
// Gaussian, small and large, a box, and a ring with few taps.
std::vector<ConvProblem> ordinary_problems() {
    std::vector<float> ring(49, 0.0F);
    for (const std::size_t k : {3U, 21U, 27U, 45U}) ring[k] = 1;
    return {small_problem(separable_taps({1, 2, 1}, {1, 2, 1})),
            small_problem(gaussian_taps(20, 20, 70, 70)),
            small_problem(separable_taps({1, 1, 1}, {1, 1, 1})),
            small_problem(dense_taps(7, 7, std::move(ring)))};
}

// The devices that kernels could run on; probed once for all rows.
struct Machine {
    Device cpu = cpu_device();
    GpuProbe probe = probe_gpus();
};

// Empty if the kernel can run on this machine, otherwise the reason.
std::string why_not_here(const ConvKernel& kernel, const Machine& machine) {
    const bool on_gpu = kernel.space == MemorySpace::device;
    if (on_gpu && machine.probe.devices.empty()) return machine.probe.why_none;
    const Device& device = on_gpu ? machine.probe.devices.front() : machine.cpu;
    const std::vector<ConvProblem> problems = ordinary_problems();
    for (const ConvProblem& problem : problems)
        if (why_cannot(kernel, problem, device).empty()) return "";
    return why_cannot(kernel, problems.front(), device);
}

std::string_view runs_on(const ConvKernel& kernel) {
    return kernel.space == MemorySpace::host ? "cpu" : "cuda";
}

std::vector<std::string_view> works(const ConvKernel& kernel) {
    std::vector<std::string_view> works = {"images"};
    if (find_layer_kernel(kernel.name) != nullptr) works.emplace_back("layers");
    return works;
}

std::string_view sums_text(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            return "fp32 products and sums";
        case Arithmetic::half_taps:
            return "taps in half precision or in equally fine integer steps, tensor core sums; "
                   "whole numbers stay exact";
        case Arithmetic::half_between:
            return "taps and the result between two passes in half precision, sums in fp32; whole "
                   "numbers stay exact";
        case Arithmetic::fourier:
            return "transforms in fp32: errors grow with the largest sample nearby";
        case Arithmetic::split_halves:
            return "samples and taps as two fp16 numbers each, tensor core sums: up to three times "
                   "the error of fp32";
        case Arithmetic::fixed_point:
            return "16-bit taps and sums of integers, at most 0.1 level off before rounding; whole "
                   "numbers stay exact; fp32 where that is finer";
        case Arithmetic::two_rate:
            return "the Gaussian itself in fp32, at most 0.2 level of 8 bits off before rounding, "
                   "or "
                   "6e-7 of the range of other samples";
    }
    return "";
}

bool is_planned(const ConvKernel& kernel) {
    return kernel.time != nullptr;
}

std::string_view chosen_text(const ConvKernel& kernel) {
    return is_planned(kernel) ? "by the planner, where its estimated time is the least"
                              : "by name only: batch --kernel, compare, bench";
}

std::string one_text(const ConvKernel& kernel, const Machine& machine) {
    const std::string why_not = why_not_here(kernel, machine);
    const Cost cost = kernel.cost(ordinary_problems().front());
    return fmt::format(
        "{}: {}\nruns on: {}\ntakes: {}\nchosen: {}\nsource: {}\nlimits: {}\nsums: {}\n"
        "bytes: {}\nflops: {}\nhere: {}\n",
        kernel.name, kernel.summary, runs_on(kernel) == "cpu" ? "the CPU" : "NVIDIA GPUs",
        fmt::join(works(kernel), " and "), chosen_text(kernel), kernel.source, kernel.limits,
        sums_text(kernel.arithmetic), cost.bytes_formula, cost.flops_formula,
        why_not.empty() ? "runs" : why_not);
}

Json one_json(const ConvKernel& kernel, const Machine& machine) {
    const std::string why_not = why_not_here(kernel, machine);
    const Cost cost = kernel.cost(ordinary_problems().front());
    return {{"name", kernel.name},
            {"summary", kernel.summary},
            {"source", kernel.source},
            {"limits", kernel.limits},
            {"runs_on", runs_on(kernel)},
            {"takes", works(kernel)},
            {"planned", is_planned(kernel)},
            {"sums", sums_text(kernel.arithmetic)},
            {"cost", {{"bytes", cost.bytes_formula}, {"flops", cost.flops_formula}}},
            {"available", why_not.empty()},
            {"why_not", why_not}};
}

}  // namespace

std::string kernels_text(const std::string& name) {
    const Machine machine;
    if (!name.empty()) return one_text(require_kernel(name), machine);
    TextTable table({"kernel", "runs on", "here", "idea"});
    const bool no_gpu = machine.probe.devices.empty();
    for (const ConvKernel& kernel : conv_kernels()) {
        const bool on_gpu = kernel.space == MemorySpace::device;
        const std::string why_not = on_gpu && no_gpu ? "no GPU" : why_not_here(kernel, machine);
        table.add({std::string(kernel.name), on_gpu ? "gpu" : "cpu",
                   why_not.empty() ? "runs" : why_not, std::string(kernel.summary)});
    }
    return no_gpu ? fmt::format("{}\nno GPU: {}\n", table.text(), machine.probe.why_none)
                  : table.text();
}

Json kernels_json(const std::string& name) {
    const Machine machine;
    if (!name.empty()) return one_json(require_kernel(name), machine);
    Json list = Json::array();
    for (const ConvKernel& kernel : conv_kernels()) list.push_back(one_json(kernel, machine));
    return {{"schema", 1}, {"kernels", std::move(list)}};
}

}  // namespace weft
