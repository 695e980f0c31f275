// The normalised cross-correlation of a picture with a template, under weights.
#pragma once

#include <cmath>
#include <vector>

namespace weft {

// Weighted sums of the picture I and the template T.
struct CorrelationSums {
    float weight = 0, i = 0, t = 0, ii = 0, tt = 0, it = 0;

    void add(float w, float picture, float pattern) {
        weight += w;
        i += w * picture;
        t += w * pattern;
        ii += w * picture * picture;
        tt += w * pattern * pattern;
        it += w * picture * pattern;
    }
    // -1 to 1; -1 also for a picture without contrast.
    double correlation() const {
        if (weight <= 0) return -1;
        const double n = weight;
        const double vi = ii - static_cast<double>(i) * i / n;
        const double vt = tt - static_cast<double>(t) * t / n;
        // Less than a level of contrast is no picture of anything.
        if (vi < 0.25 * n || vt <= 1e-6 * n) return -1;
        return (it - static_cast<double>(i) * t / n) / std::sqrt(vi * vt);
    }
};

// Gives the samples a mean of 0 and a variance of 1 under the weights, of which there are as many.
void normalise(std::vector<float>& samples, const std::vector<float>& weights);

}  // namespace weft
