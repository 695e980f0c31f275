#include "app/pipeline/track/correlation.h"

#include <algorithm>
#include <cstddef>

namespace weft {

void normalise(std::vector<float>& samples, const std::vector<float>& weights) {
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        sum += static_cast<double>(weights[i]) * samples[i];
        weight += weights[i];
    }
    const double mean = weight > 0 ? sum / weight : 0;
    double squares = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] -= static_cast<float>(mean);
        squares += static_cast<double>(weights[i]) * samples[i] * samples[i];
    }
    const double deviation = std::sqrt(squares / std::max(weight, 1e-9));
    for (float& s : samples) s = static_cast<float>(s / std::max(deviation, 1e-3));
}

}  // namespace weft
