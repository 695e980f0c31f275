#include "filters/rank_one.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace weft {
namespace {

// Factors of whole weights go through 64-bit integers up to here.
constexpr float kMaxWhole = 1 << 24;

float magnitude(float w) {
    return std::fabs(w);
}

bool within_one_rounding(float product, float weight) {
    return std::fabs(product - weight) <= std::fabs(weight) * std::numeric_limits<float>::epsilon();
}

// The row that holds the largest weight, divided by the greatest common divisor if it is whole.
std::vector<float> candidate_row(const Taps& taps, std::size_t y, bool whole) {
    const auto begin = taps.weights.begin() + static_cast<std::ptrdiff_t>(y) * taps.width;
    std::vector<float> row(begin, begin + taps.width);
    if (!whole) return row;
    long long divisor = 0;
    for (float w : row) divisor = std::gcd(divisor, static_cast<long long>(w));
    for (float& w : row) w /= static_cast<float>(divisor);
    return row;
}

}  // namespace

Taps with_factors(Taps taps) {
    if (!taps.dense() || taps.separable()) return taps;
    const auto largest =
        std::max_element(taps.weights.begin(), taps.weights.end(),
                         [](float a, float b) { return magnitude(a) < magnitude(b); });
    if (*largest == 0) return taps;
    const auto at = static_cast<std::size_t>(largest - taps.weights.begin());
    const auto width = static_cast<std::size_t>(taps.width);
    const bool whole = integer_valued(taps) && magnitude(*largest) <= kMaxWhole;
    std::vector<float> row = candidate_row(taps, at / width, whole);
    std::vector<float> column;
    for (std::size_t y = 0; y < static_cast<std::size_t>(taps.height); ++y)
        column.push_back(taps.weights[y * width + at % width] / row[at % width]);
    for (std::size_t k = 0; k < taps.weights.size(); ++k)
        if (!within_one_rounding(column[k / width] * row[k % width], taps.weights[k])) return taps;
    taps.row = std::move(row);
    taps.column = std::move(column);
    return taps;
}

}  // namespace weft
