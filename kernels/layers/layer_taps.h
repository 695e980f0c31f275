// Sources of the products of an output: layers as a matrix of weights times a matrix of gathered
// input (im2col), for the kernels that use this form. No CUDA; internal to kernels/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/layers/layer_args.h"

namespace weft {

// The place of product k of an output: its input element, relative to the one of the group's
// channel 0 and tap (0, 0), and its distance from that in the plane.
struct TapPlace {
    int offset;
    std::int16_t dy, dx;
};

// Empty, or a sentence: planes whose distances do not fit into a TapPlace.
std::string why_no_tap_places(const LayerProblem& problem);

// For k = 0 .. sum_length() - 1, in the order of `weights`; with `channels_last` in the order
// [y][x][channel]. Offsets are those of the problem's layout.
std::vector<TapPlace> tap_places(const LayerProblem& problem, bool channels_last = false);

// The index into `weights` of product k of output channel 0, in the same order.
std::vector<int> tap_order(const LayerProblem& problem, bool channels_last);

}  // namespace weft
