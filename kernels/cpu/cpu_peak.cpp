#include "kernels/cpu/cpu_peak.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "kernels/cpu/cpu_terms.h"
#include "kernels/device/cgroup.h"
#include "kernels/device/parallel_slots.h"

#define WEFT_VECTOR_CODE "kernels/cpu/multiply_adds.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

using Chains = float (*)(std::int64_t count);

constexpr std::int64_t kRounds = 100'000;  // some 0.2 ms

double seconds_of(Chains chains) {
    const auto began = std::chrono::steady_clock::now();
    const volatile float end = chains(kRounds);  // so that the chains are computed
    static_cast<void>(end);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// The median of a core's turns while all cores are busy. On a busy machine a core is lent to others
// for milliseconds, which is within one turn in ten and leaves the median alone.
double median_turn(Chains chains) {
    constexpr double kSeconds = 0.04;
    std::vector<double> turns;
    double spent = 0;
    while (spent < kSeconds) {
        turns.push_back(seconds_of(chains));
        spent += turns.back();
    }
    const auto middle = turns.begin() + static_cast<std::ptrdiff_t>(turns.size() / 2);
    std::ranges::nth_element(turns, middle);
    return *middle;
}

// Rounds of the chains per second, over all cores.
double rate_of(Chains chains) {
    std::vector<double> rates(static_cast<std::size_t>(usable_cores()));
    parallel_slots(usable_cores(), [&](int slot) {
        rates[static_cast<std::size_t>(slot)] = kRounds / median_turn(chains);
    });
    return std::accumulate(rates.begin(), rates.end(), 0.0);
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
