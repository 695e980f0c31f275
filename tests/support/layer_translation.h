// Converts a layer problem to the oracle's types, for the tests and the bench.
#pragma once

#include <span>

#include "kernels/layer_problem.h"
#include "tests/support/layer_oracle.h"

namespace weft::test {

// Views: `input` and `weights` must outlive the result.
inline oracle::Layer oracle_layer(const LayerProblem& p, std::span<const float> input,
                                  std::span<const float> weights) {
    return {.batch = p.batch,
            .in_channels = p.in_channels,
            .out_channels = p.out_channels,
            .groups = p.groups,
            .height = p.height,
            .width = p.width,
            .taps_y = p.taps.y,
            .taps_x = p.taps.x,
            .stride_y = p.stride.y,
            .stride_x = p.stride.x,
            .padding_y = p.padding.y,
            .padding_x = p.padding.x,
            .dilation_y = p.dilation.y,
            .dilation_x = p.dilation.x,
            .channels_last = p.layout == LayerLayout::nhwc,
            .half = p.type == LayerType::f16,
            .input = input,
            .weights = weights};
}

}  // namespace weft::test
