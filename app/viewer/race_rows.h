// A race as a table and as curves: what a panel draws, without drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/viewer/race_rounds.h"

namespace weft {

enum class RaceColumn : std::uint8_t {
    kernel,
    median,
    p95,
    rate,
    limit,
    speed_up,
    error,
    differing
};

// One kernel. Numbers are 0 while they are not known.
struct RaceRow {
    std::size_t index = 0;  // among the step's kernels
    double median_seconds = 0;
    double p95_seconds = 0;
    double gigabytes_per_second = 0;
    double fraction_of_limit = 0;
    double speed_up = 0;
    bool races = false;    // chosen, or needed, and able to
    bool fastest = false;  // of the correct ones, or a tie with the fastest
    bool baseline = false;
    bool ties_with_baseline = false;  // and is not it
    bool wrong = false;               // see is_wrong()

    bool measured() const { return median_seconds > 0; }
};

struct RaceOrder {
    RaceColumn column = RaceColumn::median;
    bool descending = false;
};

// Kernels that were measured first, by the order; then those that were not, and last those that
// cannot run, both as the registry has them.
std::vector<RaceRow> race_rows(const RaceSnapshot& snapshot, RaceOrder order);

// For each sample the median and the 95th percentile of the `window` samples up to it.
struct RunningBand {
    std::vector<double> median;
    std::vector<double> p95;
};
RunningBand running_band(std::span<const double> samples, std::size_t window);

}  // namespace weft
