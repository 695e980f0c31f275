#include "filters/cut_taps.h"

#include <algorithm>
#include <cstdlib>
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

}  // namespace

Taps sampled_taps(const Weight& weight) {
    return taps_of(weight, reach_of(weight), 1.0);
}

Taps normalized_taps(const Weight& weight) {
    const Reach reach = reach_of(weight);
    return taps_of(weight, reach, reach.sum);
}

}  // namespace weft
