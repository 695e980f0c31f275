// Positions of the elements of a layer's tensors, in either layout.
#pragma once

#include "kernels/layers/layer_args.h"

namespace weft {

// The position of an image's first channel, and the distance to the next channel, column and row.
struct LayerStrides {
    unsigned first, channel, column, row;
};

struct TensorSize {
    int channels, height, width;
};

__device__ __forceinline__ LayerStrides strides_of(const TensorSize& size, bool channels_last,
                                                   int n, int first_channel) {
    const auto width = static_cast<unsigned>(size.width);
    const auto channels = static_cast<unsigned>(size.channels);
    const unsigned plane = static_cast<unsigned>(size.height) * width;
    const unsigned image = static_cast<unsigned>(n) * channels * plane;
    const auto channel = static_cast<unsigned>(first_channel);
    if (channels_last) return {image + channel, 1, channels, channels * width};
    return {image + channel * plane, plane, 1, width};
}

// The inputs of a group.
__device__ __forceinline__ LayerStrides input_strides(const LayerShape& s, int n, int group) {
    return strides_of({s.in_channels, s.height, s.width}, s.channels_last, n,
                      group * s.group_inputs);
}

__device__ __forceinline__ LayerStrides output_strides(const LayerShape& s, int n) {
    return strides_of({s.out_channels, s.out_height, s.out_width}, s.channels_last, n, 0);
}

}  // namespace weft
