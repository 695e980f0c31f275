#include "kernels/planner.h"

#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "kernels/opencv_sum.h"

namespace weft {

namespace {

// One way to compute a problem: the row, and why it is chosen when it can run.
struct Candidate {
    std::string_view kernel;
    std::string reason;
};

bool all_dense(const ConvProblem& p) {
    for (const ChannelConv& conv : p.conv)
        for (const Taps& taps : conv.taps)
            if (!taps.dense()) return false;
    return true;
}

// Times on an H200, 4K u8, in µs: columns and rows reused 146 at 15×15 and 487 at 31×31, so about
// 42 + 0.46 kx ky; two passes 190 at 15×15 and 770 at 101×101, so about 89 + 3.4 (kx + ky). They
// meet at 20×20. One row or one column of taps keeps this form.
bool two_passes_win(const Taps& t) {
    return t.width * t.height > 100 + 7 * (t.width + t.height);
}

std::vector<Candidate> gpu_candidates(const ConvProblem& p) {
    const Taps& t = p.taps();
    const std::string size = fmt::format("{}×{}", t.width, t.height);
    const std::string_view type = name_of(p.type);
    const Candidate reuse{"column_row_reuse",
                          fmt::format("{} dense {}: columns and rows reused", size, type)};
    const Candidate direct{"direct", fmt::format("{} dense {}: one output a thread", size, type)};
    const Candidate factors{
        "direct_separable",
        fmt::format("{} factored {}: {} + {} factors in two passes instead of {} taps", size, type,
                    t.width, t.height, t.width * t.height)};
    // On an H200, 4K u8: 15 µs against 26 of columns and rows reused at 5×5, 20 against 146 at
    // 15×15 factored and 29 against 146 dense. They refuse what half precision does not hold.
    const Candidate bands{
        "tensor_separable",
        fmt::format("{} factored {}: two banded products on tensor cores", size, type)};
    const Candidate band_rows{
        "tensor_dense",
        fmt::format("{} dense {}: a banded product a tap row on tensor cores", size, type)};
    if (!all_dense(p)) return {bands, factors};
    if (two_passes_win(t)) return {bands, band_rows, factors, reuse, direct};
    return {bands, band_rows, reuse, direct};
}

// How OpenCV sums the tap sets.
std::string_view cpu_sums(const ConvProblem& p) {
    bool all = true;
    bool any = false;
    for (const ChannelConv& conv : p.conv)
        for (const Taps& taps : conv.taps) {
            all = all && prefers_factors(taps);
            any = any || prefers_factors(taps);
        }
    if (all) return "factored";
    return any ? "partly factored" : "dense";
}

std::vector<Candidate> cpu_candidates(const ConvProblem& p) {
    return {{"opencv_cpu", fmt::format("{}×{} {} {} on the CPU", p.taps().width, p.taps().height,
                                       cpu_sums(p), name_of(p.type))}};
}

std::string kernel_names() {
    std::string names;
    for (const ConvKernel& row : conv_kernels()) {
        if (!names.empty()) names += ", ";
        names += row.name;
    }
    return names;
}

Plan forced_plan(const ConvProblem& p, const Device& device, std::string_view name) {
    const ConvKernel* row = find_kernel(name);
    if (row == nullptr)
        throw std::runtime_error(
            fmt::format("there is no kernel \"{}\"; the kernels are {}", name, kernel_names()));
    const std::string reason = row->why_not(p, device);
    if (!reason.empty())
        throw std::runtime_error(
            fmt::format("kernel {} cannot filter {}: {}", name, describe(p), reason));
    return {row, fmt::format("{}: asked for by name", describe(p))};
}

}  // namespace

Plan plan(const ConvProblem& problem, const Device& device, std::string_view forced) {
    validate(problem);
    if (!forced.empty()) return forced_plan(problem, device, forced);
    std::string refusals;
    for (const Candidate& c : device.is_gpu() ? gpu_candidates(problem) : cpu_candidates(problem)) {
        const ConvKernel* row = find_kernel(c.kernel);
        const std::string reason =
            row == nullptr ? "is not in this build" : row->why_not(problem, device);
        if (reason.empty()) return {row, c.reason};
        refusals += fmt::format("; {}: {}", c.kernel, reason);
    }
    throw std::runtime_error(
        fmt::format("no kernel can filter {} on {}{}", describe(problem), device.name, refusals));
}

}  // namespace weft
