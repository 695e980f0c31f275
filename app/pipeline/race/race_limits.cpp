#include "app/pipeline/race/race_limits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "filters/text/number_text.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json known(double value) {
    return value > 0 && std::isfinite(value) ? Json(value) : Json(nullptr);
}

double arithmetic_seconds(const StepResult& step, const KernelResult& kernel) {
    const double peak = peak_operations(step.peak, kernel.arithmetic);
    return peak > 0 ? kernel.operations / peak : 0;
}

// Of the copy. Then the launch is what binds, and the copy shows how much time it leaves at least.
bool is_mostly_launch(const StepResult& step) {
    return step.copy.median_seconds() < 2 * step.empty.median_seconds();
}

std::string percent(double fraction) {
    return fmt::format("{:.0f} %", 100 * fraction);
}

std::string what_allows(Limit limit) {
    switch (limit) {
        case Limit::launch:
            return "A launch that only copies the same bytes";
        case Limit::memory:
            return "A copy of the same bytes";
        case Limit::arithmetic:
            return "The arithmetic, at the peak of its units,";
        case Limit::unknown:
            break;
    }
    return "The limit";
}

std::string bound_sentence(const Bound& bound) {
    const std::string takes =
        fmt::format("{} takes {} of this time", what_allows(bound.limit), percent(bound.fraction));
    if (explains(bound)) return fmt::format("Bound by {}. {}.", name_of(bound.limit), takes);
    return fmt::format(
        "No limit explains it. {}; the rest are other instructions, caches and latency.", takes);
}

std::string bytes_text(double bytes) {
    return bytes < 1e6 ? fmt::format("{:.1f} kB", bytes * 1e-3)
                       : fmt::format("{:.2f} MB", bytes * 1e-6);
}

std::string bytes_sentence(const StepResult& step, const KernelResult& kernel) {
    return fmt::format("It has to move {} at least, and computes {} operations per byte.",
                       bytes_text(step.bytes), short_number(kernel.operations / step.bytes));
}

// The launch that leaves the most of a multiprocessor idle.
const LaunchFacts* least_occupied(const KernelResult& kernel) {
    const LaunchFacts* least = nullptr;
    for (const LaunchFacts& facts : kernel.launches)
        if (facts.occupancy > 0 && (least == nullptr || facts.occupancy < least->occupancy))
            least = &facts;
    return least;
}

std::string launches_sentence(const StepResult& step, const KernelResult& kernel) {
    const Device& device = step.device;
    if (!device.is_gpu())
        return fmt::format("It runs on {} thread{} with vectors of {} bytes.",
                           device.multiprocessors, device.multiprocessors == 1 ? "" : "s",
                           device.vector_bytes);
    if (kernel.launches.empty()) return "";
    const std::size_t count = kernel.launches.size();
    const std::string launches = fmt::format("{} launch{}", count, count == 1 ? "" : "es");
    const LaunchFacts* facts = least_occupied(kernel);
    if (facts == nullptr) return fmt::format("It takes {}.", launches);
    return fmt::format(
        "It takes {}; the one that fills the GPU least has {} blocks of {} threads with {} "
        "registers, {} of shared memory and an occupancy of {}.",
        launches, facts->blocks, facts->threads, facts->registers, bytes_text(facts->shared_bytes),
        percent(facts->occupancy));
}

}  // namespace

std::string_view name_of(Limit limit) {
    switch (limit) {
        case Limit::unknown:
            return "unknown";
        case Limit::launch:
            return "launch";
        case Limit::memory:
            return "memory";
        case Limit::arithmetic:
            return "arithmetic";
    }
    return "";
}

double peak_operations(const DevicePeak& peak, Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::fp32:
        case Arithmetic::fourier:
        case Arithmetic::two_rate:
            return peak.operations;
        case Arithmetic::half_taps:
        case Arithmetic::half_between:
        case Arithmetic::split_halves:
        case Arithmetic::fixed_point:
            return peak.half_operations;
    }
    return 0;
}

Bound bound_of(const StepResult& step, const KernelResult& kernel) {
    const double median = kernel.seconds.median_seconds();
    if (median <= 0 || step.copy.count() == 0 || step.empty.count() == 0) return {};
    const Limit moving = is_mostly_launch(step) ? Limit::launch : Limit::memory;
    Bound bound{moving, std::max(step.copy.median_seconds(), step.empty.median_seconds()), 0};
    const double arithmetic = arithmetic_seconds(step, kernel);
    if (arithmetic > bound.seconds) bound = {Limit::arithmetic, arithmetic, 0};
    bound.fraction = bound.seconds / median;
    return bound;
}

bool explains(const Bound& bound) {
    return bound.fraction >= 0.5;
}

double fraction_of_peak(const StepResult& step, const KernelResult& kernel) {
    const double median = kernel.seconds.median_seconds();
    if (median <= 0) return 0;
    const double memory = step.peak.bytes > 0 ? step.bytes / step.peak.bytes : 0;
    return std::max(memory, arithmetic_seconds(step, kernel)) / median;
}

std::string bound_text(const Bound& bound) {
    if (bound.limit == Limit::unknown) return "-";
    return fmt::format("{} {}", name_of(bound.limit), percent(bound.fraction));
}

std::string peak_time_text(const StepResult& step) {
    return step.peak.bytes > 0 ? duration_text(step.bytes / step.peak.bytes) : "-";
}

std::string operations_text(double per_second) {
    if (per_second <= 0) return "-";
    for (const auto& [unit, name] : {std::pair{1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}})
        if (per_second < 999.5 * unit)
            return fmt::format("{} {}", short_number(per_second / unit), name);
    return fmt::format("{} PFLOP/s", short_number(per_second * 1e-15));
}

std::string peak_text(const DevicePeak& peak) {
    return fmt::format("{}, {}", number_text(peak.bytes * 1e-9, 0, " GB/s"),
                       operations_text(peak.operations));
}

std::vector<std::string> why(const StepResult& step, const KernelResult& kernel) {
    std::vector<std::string> sentences;
    const Bound bound = bound_of(step, kernel);
    if (bound.limit == Limit::unknown) return sentences;
    sentences.push_back(bound_sentence(bound));
    sentences.push_back(bytes_sentence(step, kernel));
    if (std::string launches = launches_sentence(step, kernel); !launches.empty())
        sentences.push_back(std::move(launches));
    sentences.insert(sentences.end(), kernel.planner.begin(), kernel.planner.end());
    return sentences;
}

Json limits_json(const StepResult& step, const KernelResult& kernel) {
    const Bound bound = bound_of(step, kernel);
    const LaunchFacts* facts = least_occupied(kernel);
    const auto of_facts = [&](auto value) {
        return facts == nullptr ? Json(nullptr) : Json(value());
    };
    return {
        {"bound_by", bound.limit == Limit::unknown ? Json(nullptr) : Json(name_of(bound.limit))},
        {"fraction_of_bound", known(bound.fraction)},
        {"fraction_of_peak", known(fraction_of_peak(step, kernel))},
        {"operations", known(kernel.operations)},
        {"launches", kernel.launches.empty() ? Json(nullptr) : Json(kernel.launches.size())},
        {"registers", of_facts([&] { return facts->registers; })},
        {"occupancy", of_facts([&] { return facts->occupancy; })},
        {"why", fmt::format("{}", fmt::join(why(step, kernel), " "))}};
}

Json peak_json(const DevicePeak& peak) {
    return {{"bytes_per_second", known(peak.bytes)},
            {"operations_per_second", known(peak.operations)},
            {"half_operations_per_second", known(peak.half_operations)}};
}

}  // namespace weft
