#include "tests/bench/layer_reference.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "tests/support/layer_oracle.h"
#include "tests/support/layer_translation.h"

namespace weft::bench {

namespace {

constexpr std::size_t kMost = 20000;
constexpr double kProducts = 8e6;
constexpr std::size_t kEnd = 200;  // outputs at either end

std::vector<std::size_t> places_of(const LayerProblem& p) {
    const auto outputs = static_cast<std::size_t>(p.outputs());
    const auto affordable = static_cast<std::size_t>(kProducts / p.sum_length());
    const std::size_t count = std::min({outputs, kMost, std::max<std::size_t>(affordable, 1000)});
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < std::min(kEnd, outputs); ++k) {
        out.push_back(k);
        out.push_back(outputs - 1 - k);
    }
    std::mt19937_64 random(7);
    while (out.size() < count) out.push_back(random() % outputs);
    return out;
}

}  // namespace

LayerReference::LayerReference(const LayerProblem& p, std::span<const float> input)
    : places_(places_of(p)), error_(p, input), step_(p.type == LayerType::f16 ? 0x1p-10 : 0) {
    const oracle::Layer layer = test::oracle_layer(p, input, p.weights);
    // The same sums of absolute values.
    std::vector<float> absolute_weights = p.weights;
    for (float& w : absolute_weights) w = std::fabs(w);
    std::vector<float> absolute_input(input.begin(), input.end());
    for (float& v : absolute_input) v = std::fabs(v);
    oracle::Layer absolute = test::oracle_layer(p, absolute_input, absolute_weights);
    for (const std::size_t at : places_)
        right_.push_back(
            {oracle::layer_output(layer, at), oracle::layer_output(absolute, at).want});
}

std::string LayerReference::why_wrong(const Allowance& allowance,
                                      std::span<const double> got) const {
    for (std::size_t k = 0; k < places_.size(); ++k) {
        const oracle::Interval& right = right_[k].interval;
        double more =
            allowance.relative * right_[k].absolute + error_.at(allowance.arithmetic, places_[k]);
        if (more > 0) more += step_ * std::fabs(right.want);
        if (got[k] >= right.low - more && got[k] <= right.high + more) continue;
        return fmt::format("output {}: got {}, want {}, right from {} to {}", places_[k], got[k],
                           right.want, right.low - more, right.high + more);
    }
    return {};
}

}  // namespace weft::bench
