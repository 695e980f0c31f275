// Layers of neural networks, computed naively in double. Shares no code with the product.
//
// For every element it gives the interval of correct results. With n products per output and ε =
// 2^-23, a sum in fp32, or in the accumulators of tensor cores, which truncate instead of rounding,
// errs by at most γ_n · Σ|w x|, γ_n = n·ε / (1 - n·ε). A half is correct if some value within the
// bound rounds to it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tests/support/oracle.h"

namespace oracle {

struct Layer {
    int batch = 1, in_channels = 1, out_channels = 1, groups = 1, height = 1, width = 1;
    int taps_y = 1, taps_x = 1, stride_y = 1, stride_x = 1, padding_y = 0, padding_x = 0,
        dilation_y = 1, dilation_x = 1;
    bool channels_last = false;      // nhwc, of input and output; else nchw
    bool half = false;               // elements and weights are halves
    std::span<const float> input;    // not owned
    std::span<const float> weights;  // [out][in / groups][y][x]; not owned

    int out_height() const;
    int out_width() const;
    std::size_t outputs() const;
};

// The interval of element `index` of the output tensor. With `half`, weights are rounded to halves
// first; the input must consist of halves. `more`: additional error allowed for the sum.
Interval layer_output(const Layer& layer, std::size_t index, double more = 0);

// The nearest half, ties to even; infinity above 65504 and its rounding range.
double round_to_half(double v);

}  // namespace oracle
