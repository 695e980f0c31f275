#include "kernels/cpu/cpu_peak.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/cpu/cpu_terms.h"
#include "kernels/device/cgroup.h"
#include "kernels/device/parallel_slots.h"

#define WEFT_VECTOR_CODE "kernels/cpu/multiply_adds.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

using Chains = float (*)(std::int64_t count);

double seconds_of(Chains chains, std::int64_t count) {
    std::vector<float> ends(static_cast<std::size_t>(usable_cores()));
    const auto began = std::chrono::steady_clock::now();
    parallel_slots(usable_cores(),
                   [&](int slot) { ends[static_cast<std::size_t>(slot)] = chains(count); });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Rounds of the chains per second, over all cores.
double rate_of(Chains chains) {
    constexpr std::int64_t kRounds = 100'000;  // 0.2 ms and more: far above the start of a job
    constexpr int kTries = 7;                  // the fastest is the one that was disturbed least
    double least = seconds_of(chains, kRounds);
    for (int k = 1; k < kTries; ++k) least = std::min(least, seconds_of(chains, kRounds));
    return static_cast<double>(kRounds) * usable_cores() / least;
}

}  // namespace

DevicePeak measure_cpu_operations(const Device& cpu) {
    const int bytes = cpu.vector_bytes;
    const Chains floats = for_vectors<Chains>(bytes, vectors16::float_chains,
                                              vectors32::float_chains, vectors64::float_chains);
    const Chains shorts = for_vectors<Chains>(bytes, vectors16::short_chains,
                                              vectors32::short_chains, vectors64::short_chains);
    return {.operations = rate_of(floats) * for_vectors(bytes, vectors16::kFloatOperations,
                                                        vectors32::kFloatOperations,
                                                        vectors64::kFloatOperations),
            .half_operations = rate_of(shorts) * for_vectors(bytes, vectors16::kShortOperations,
                                                             vectors32::kShortOperations,
                                                             vectors64::kShortOperations)};
}

}  // namespace weft
