// The frequency response of filter taps: the gain at each spatial frequency.
#pragma once

#include <cstdint>
#include <vector>

#include "filters/taps.h"

namespace weft {

// |H| at size × size frequencies, row-major, zero in the middle: column i is (i - size / 2) / size
// cycles per pixel along x, row j the same along y. `size` is even.
struct FrequencyResponse {
    int size = 0;
    std::vector<double> magnitude;

    double at(int column, int row) const;
};

// H(fx, fy) = Σ w(x, y) exp(-2πi (fx x + fy y)), times `scale`, the factor that a step applies to
// its sums. Computed in double; about 2 ms for 63×63 taps at size 64. Taps given only as factors
// are computed from them. `size` is 2 to 512.
FrequencyResponse frequency_response(const Taps& taps, double scale, int size);

enum class FrequencyAxis : std::uint8_t { x, y, diagonal };

// |H| at `count` evenly spaced frequencies from 0 to 0.5 cycles per pixel. The diagonal uses the
// same frequency for x and y, so it ends in the corner. `count` is at least 2.
std::vector<double> response_profile(const Taps& taps, double scale, FrequencyAxis axis, int count);

// 20 log10 of a magnitude, at least kLeastDecibels.
inline constexpr double kLeastDecibels = -120;
double decibels(double magnitude);

}  // namespace weft
