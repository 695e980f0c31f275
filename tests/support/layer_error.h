// The error that the tests and the bench allow a layer kernel on top of that of fp32 sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/conv_kernel.h"

namespace weft::test {

// The bound that Arithmetic::fourier promises for layers: (360 + 3n) · 2^-24 · Σ ‖x‖ ‖w‖ over an
// output's n inputs, where ‖x‖ is that of a plane, at most 256 times its largest.
class LayerError {
 public:
    // `input`: the whole tensor.
    LayerError(const LayerProblem& p, std::span<const float> input)
        : channels_last_(p.layout == LayerLayout::nhwc),
          plane_(static_cast<std::size_t>(p.out_height()) *
                 static_cast<std::size_t>(p.out_width())),
          inputs_(static_cast<std::size_t>(p.in_channels)),
          outputs_(static_cast<std::size_t>(p.out_channels)),
          group_inputs_(static_cast<std::size_t>(p.group_inputs())),
          group_outputs_(static_cast<std::size_t>(p.group_outputs())) {
        const std::size_t area =
            static_cast<std::size_t>(p.height) * static_cast<std::size_t>(p.width);
        for (std::size_t n = 0; n < static_cast<std::size_t>(p.batch); ++n)
            for (std::size_t c = 0; c < inputs_; ++c)
                planes_.push_back(channels_last_
                                      ? norm(input.subspan(n * area * inputs_ + c), area, inputs_)
                                      : norm(input.subspan((n * inputs_ + c) * area), area, 1));
        const std::vector<float> weights = used_weights(p);
        const auto taps = static_cast<std::size_t>(p.taps.y * p.taps.x);
        for (std::size_t k = 0; k < weights.size(); k += taps)
            taps_.push_back(norm(std::span(weights).subspan(k), taps, 1));
    }

    // The bound for element `index` of the output tensor.
    double at(Arithmetic arithmetic, std::size_t index) const {
        if (arithmetic != Arithmetic::fourier) return 0.0;
        const std::size_t image = index / (plane_ * outputs_);
        const std::size_t channel = channels_last_ ? index % outputs_ : index / plane_ % outputs_;
        const std::size_t first = image * inputs_ + channel / group_outputs_ * group_inputs_;
        double sum = 0;
        for (std::size_t c = 0; c < group_inputs_; ++c)
            sum += planes_[first + c] * taps_[channel * group_inputs_ + c];
        return (360.0 + 3.0 * static_cast<double>(group_inputs_)) * 0x1p-24 * sum;
    }

 private:
    // The norm of `count` values that are `stride` apart.
    static double norm(std::span<const float> values, std::size_t count, std::size_t stride) {
        double squares = 0;
        double largest = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const double v = std::fabs(static_cast<double>(values[k * stride]));
            squares += v * v;
            largest = std::max(largest, v);
        }
        return std::min(std::sqrt(squares), 256 * largest);
    }

    bool channels_last_;
    std::size_t plane_, inputs_, outputs_, group_inputs_, group_outputs_;
    std::vector<double> planes_;  // ‖x‖ [image][input]
    std::vector<double> taps_;    // ‖w‖ [output][input of the group]
};

}  // namespace weft::test
