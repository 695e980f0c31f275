#include "tests/bench/peers/layer_weights.h"

#include <cstdint>
#include <cstring>

#include "kernels/common/half_bits.h"

namespace weft::bench {

namespace {

std::vector<float> channels_last(const LayerProblem& p) {
    const int taps = p.taps.y * p.taps.x;
    const int inputs = p.group_inputs();
    std::vector<float> out;
    out.reserve(p.weights.size());
    for (int m = 0; m < p.out_channels; ++m)
        for (int t = 0; t < taps; ++t)
            for (int c = 0; c < inputs; ++c)
                out.push_back(p.weights[(static_cast<std::size_t>(m) * inputs + c) * taps + t]);
    return out;
}

}  // namespace

std::vector<std::byte> weights_in_layout(const LayerProblem& p) {
    const std::vector<float> values = p.layout == LayerLayout::nhwc ? channels_last(p) : p.weights;
    std::vector<std::byte> out(values.size() * bytes_per_element(p.type));
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (p.type == LayerType::f32) {
            std::memcpy(out.data() + k * sizeof(float), &values[k], sizeof(float));
        } else {
            const std::uint16_t bits = half_bits(values[k]);
            std::memcpy(out.data() + k * sizeof bits, &bits, sizeof bits);
        }
    }
    return out;
}

}  // namespace weft::bench
