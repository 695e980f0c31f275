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

// Times on an H200, 3840×2160, in µs: columns and rows reused 28 at 5×5 u16 and 34 at 5×5 f32, 63
// at 9×9 f32 and 119 at 1×31; both passes in one launch 26, 35, 36 and 39.
bool two_passes_win(const Taps& t) {
    return t.width * t.height > 25;
}

// The same for 8-bit boxes: running sums 15 at 5×5, 16 at 15×15, 28 at 101×101; two banded products
// 14, 19 and none. They refuse what half precision does not hold.
bool bands_win(const ConvProblem& p) {
    return p.type == PixelType::u8 && p.taps().width * p.taps().height <= 50;
}

std::vector<Candidate> gpu_candidates(const ConvProblem& p) {
    const Taps& t = p.taps();
    const std::string size = fmt::format("{}×{}", t.width, t.height);
    const std::string_view type = name_of(p.type);
    const Candidate box{"box_sum", fmt::format("{} box {}: running sums", size, type)};
    const Candidate reuse{"column_row_reuse",
                          fmt::format("{} dense {}: columns and rows reused", size, type)};
    const Candidate direct{"direct", fmt::format("{} dense {}: one output a thread", size, type)};
    const Candidate factors{
        "separable_reuse",
        fmt::format("{} factored {}: {} + {} factors in two passes instead of {} taps", size, type,
                    t.width, t.height, t.width * t.height)};
    // On an H200, 4K u8: 15 µs against 26 of columns and rows reused at 5×5, 20 against 146 at
    // 15×15 factored and 29 against 146 dense.
    const Candidate bands{
        "tensor_separable",
        fmt::format("{} factored {}: two banded products on tensor cores", size, type)};
    const Candidate band_rows{
        "tensor_dense",
        fmt::format("{} dense {}: a banded product a tap row on tensor cores", size, type)};
    std::vector<Candidate> all = {box, bands};
    if (bands_win(p)) all = {bands, box};
    if (!all_dense(p)) {
        all.push_back(factors);
        return all;
    }
    all.push_back(band_rows);
    if (two_passes_win(t)) all.push_back(factors);
    all.insert(all.end(), {reuse, direct});
    return all;
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
