#include "app/pipeline/measured_plans.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "app/pipeline/folders.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/version.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kForm = 1;

// Sizes within a factor of two share a measurement.
int size_class(const ConvProblem& p) {
    return static_cast<int>(std::lround(std::log2(static_cast<double>(p.width) * p.height)));
}

std::ptrdiff_t taps_not_zero(const ConvProblem& p) {
    std::ptrdiff_t count = 0;
    for (const ChannelConv& c : p.conv)
        for (const Taps& t : c.taps)
            count += std::ssize(t.weights) - std::ranges::count(t.weights, 0.0F);
    return count;
}

std::string key_of(const ConvProblem& p, const Device& device) {
    const Taps& t = p.taps();
    return fmt::format(
        "{}, driver {}, weft {}: {} of {}, {} channels, {}×{} {}{} taps, {} not zero, "
        "{} of {}, {} entries{}, {}, 2^{} pixels",
        device.name, device.driver_version, kVersion, name_of(p.type), p.max_value, p.channels,
        t.width, t.height, t.dense() ? "dense" : "wide", t.separable() ? " factored" : "",
        taps_not_zero(p), name_of(p.combine), p.conv.front().taps.size(), p.conv.size(),
        p.exact_sums ? " exact" : "", name_of(p.border), size_class(p));
}

}  // namespace

MeasuredPlans::MeasuredPlans(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) return;
    try {
        const Json page = Json::parse(read_text_file(file));
        if (page.at("weft_measured_plans") != kForm) return;
        for (const auto& [key, kernel] : page.at("kernels").items())
            kernels_[key] = kernel.get<std::string>();
    } catch (const std::exception&) {
        kernels_.clear();
    }
}

void MeasuredPlans::save(const fs::path& file) const {
    const Json page = {{"weft_measured_plans", kForm}, {"kernels", kernels_}};
    write_file(file, json_page(page));
}

void MeasuredPlans::remember(const ConvProblem& problem, const Device& device,
                             std::string_view kernel) {
    kernels_[key_of(problem, device)] = kernel;
}

Plan MeasuredPlans::applied(Plan planned, const ConvProblem& problem, const Device& device) const {
    if (kernels_.empty()) return planned;
    const auto found = kernels_.find(key_of(problem, device));
    if (found == kernels_.end() || found->second == planned.kernel->name) return planned;
    const ConvKernel* kernel = find_kernel(found->second);
    if (kernel == nullptr || kernel->arithmetic != planned.kernel->arithmetic ||
        !why_cannot(*kernel, problem, device).empty())
        return planned;
    planned.passed_over.push_back({planned.kernel->name, "weft tune measured a faster one here"});
    planned.reason =
        fmt::format("{}: the fastest that weft tune measured on this GPU", describe(problem));
    planned.kernel = kernel;
    return planned;
}

fs::path measured_plans_file() {
    const fs::path folder = cache_folder();
    return folder.empty() ? folder : folder / "plans.json";
}

ForcedKernels with_measured_plans(ForcedKernels kernels) {
    static const MeasuredPlans plans(measured_plans_file());
    kernels.replace = [](Plan planned, const ConvProblem& problem, const Device& device) {
        return plans.applied(std::move(planned), problem, device);
    };
    return kernels;
}

}  // namespace weft
