// Arguments of the layers' CUDA kernels, passed by value. Internal to kernels/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/layer_problem.h"

namespace weft {

// The numbers of a LayerProblem, without its weights.
struct LayerShape {
    int batch, in_channels, out_channels;
    int group_inputs, group_outputs;
    int height, width, out_height, out_width;
    int taps_y, taps_x, stride_y, stride_x, padding_y, padding_x, dilation_y, dilation_x;
    bool channels_last;
};

struct LayerArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    const float* weights = nullptr;  // device: used_weights()
};

LayerShape layer_shape(const LayerProblem& problem);

// Empty, or a sentence that the GPU has no asynchronous copies.
std::string why_not_before_ampere(const Device& device);

// The place of product k of an output: its input element, relative to the one of the group's
// channel 0 and tap (0, 0), and its distance from that in the plane.
struct TapPlace {
    int offset;
    std::int16_t dy, dx;
};

// Empty, or a sentence that distances in the planes do not fit into a TapPlace.
std::string why_no_tap_places(const LayerProblem& problem);

// For k = 0 .. sum_length() - 1, in the order of `weights`; with `channels_last` in the order
// [y][x][channel]. Offsets are those of the problem's layout.
std::vector<TapPlace> tap_places(const LayerProblem& problem, bool channels_last = false);

// The index into `weights` of product k of output channel 0, in the same order.
std::vector<int> tap_order(const LayerProblem& problem, bool channels_last);

}  // namespace weft
