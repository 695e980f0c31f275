// How much of each spatial frequency taps let through.
#pragma once

#include <cstdint>
#include <vector>

#include "filters/taps.h"

namespace weft {

// |H| at size × size frequencies, row-major, zero in the middle: column i stands for
// (i - size / 2) / size cycles a pixel along x, row j for the same along y. `size` is even.
struct FrequencyResponse {
    int size = 0;
    std::vector<double> magnitude;

    double at(int column, int row) const;
};

// H(fx, fy) = Σ w(x, y) exp(-2πi (fx x + fy y)), times `scale`, which stands for what a step
// multiplies its sums with. In double; about 2 ms for 63×63 taps at size 64. Taps with factors only
// are computed from them. `size` 2 to 512.
FrequencyResponse frequency_response(const Taps& taps, double scale, int size);

enum class FrequencyAxis : std::uint8_t { x, y, diagonal };

// |H| at `count` frequencies from 0 to half a cycle a pixel, evenly; on the diagonal of both x and
// y alike, so that it ends in the corner. `count` at least 2.
std::vector<double> response_profile(const Taps& taps, double scale, FrequencyAxis axis, int count);

// 20 log10 of a magnitude, not below kLeastDecibels.
inline constexpr double kLeastDecibels = -120;
double decibels(double magnitude);

}  // namespace weft
