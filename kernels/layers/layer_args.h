// Arguments of the layers' CUDA kernels, passed by value. Internal to kernels/.
#pragma once

#include <string>

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

// Empty, or that the GPU has no asynchronous copies.
std::string why_not_before_ampere(const Device& device);

}  // namespace weft
