#include "filters/made_taps.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

namespace weft {
namespace {

constexpr int kReach = Taps::kMaxDense / 2;
using Weight = std::function<double(int x, int y)>;

struct Reach {
    int x = 0;
    int y = 0;
    double sum = 0;
};

Reach reach_of(const Weight& weight) {
    Reach reach;
    for (int y = -kReach; y <= kReach; ++y)
        for (int x = -kReach; x <= kReach; ++x) {
            const double w = weight(x, y);
            if (w == 0) continue;
            reach.sum += w;
            reach.x = std::max(reach.x, std::abs(x));
            reach.y = std::max(reach.y, std::abs(y));
        }
    return reach;
}

Taps taps_of(const Weight& weight, const Reach& reach, double divisor) {
    std::vector<float> weights;
    for (int y = -reach.y; y <= reach.y; ++y)
        for (int x = -reach.x; x <= reach.x; ++x)
            weights.push_back(static_cast<float>(weight(x, y) / divisor));
    if (reach.y == 0) return separable_taps(weights, {1.0F});
    if (reach.x == 0) return separable_taps({1.0F}, weights);
    return dense_taps(2 * reach.x + 1, 2 * reach.y + 1, std::move(weights));
}

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

Taps sampled_taps(const Weight& weight) {
    return taps_of(weight, reach_of(weight), 1.0);
}

Taps normalized_taps(const Weight& weight) {
    const Reach reach = reach_of(weight);
    return taps_of(weight, reach, reach.sum);
}

std::vector<double> gaussian_samples(double sigma, int radius) {
    std::vector<double> samples;
    double sum = 0;
    for (int x = -radius; x <= radius; ++x) {
        samples.push_back(x == 0 ? 1.0 : std::exp(-0.5 * x * x / (sigma * sigma)));
        sum += samples.back();
    }
    for (double& sample : samples) sample /= sum;
    return samples;
}

Taps gaussian_taps(double sigma_x, double sigma_y, int radius_x, int radius_y) {
    const std::vector<double> row = gaussian_samples(sigma_x, radius_x);
    const std::vector<double> column = gaussian_samples(sigma_y, radius_y);
    Taps taps = separable_taps({row.begin(), row.end()}, {column.begin(), column.end()});
    taps.gaussian_x = static_cast<float>(sigma_x);
    taps.gaussian_y = static_cast<float>(sigma_y);
    return taps;
}

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
