// Gathers the input that an output needs; for the kernels that see layers as a product of matrices.
#pragma once

#include "kernels/common/elements.cuh"
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

// Where tap (0, 0) of an output meets the input: the element of the group's channel 0, which may be
// outside, and its place in the plane. Offsets wrap around 2^32, and come out right again for
// elements that are inside.
struct PixelPlace {
    unsigned first;
    int y, x;
};

// The pixel `index` of all images' output planes, counted in the order n, y, x.
__device__ __forceinline__ PixelPlace pixel_place(const LayerShape& s, unsigned index, int group) {
    const auto width = static_cast<unsigned>(s.out_width);
    const auto plane = width * static_cast<unsigned>(s.out_height);
    const unsigned n = index / plane;
    const unsigned at = index % plane;
    PixelPlace place{};
    place.y = static_cast<int>(at / width) * s.stride_y - s.padding_y;
    place.x = static_cast<int>(at % width) * s.stride_x - s.padding_x;
    const auto channels = static_cast<unsigned>(s.in_channels);
    const auto channel = static_cast<unsigned>(group * s.group_inputs);
    const unsigned area = static_cast<unsigned>(s.height) * static_cast<unsigned>(s.width);
    const unsigned inside = static_cast<unsigned>(place.y) * static_cast<unsigned>(s.width) +
                            static_cast<unsigned>(place.x);
    place.first = s.channels_last ? (n * area + inside) * channels + channel
                                  : (n * channels + channel) * area + inside;
    return place;
}

__device__ __forceinline__ bool inside(const LayerShape& s, const PixelPlace& pixel, int dy,
                                       int dx) {
    return static_cast<unsigned>(pixel.y + dy) < static_cast<unsigned>(s.height) &&
           static_cast<unsigned>(pixel.x + dx) < static_cast<unsigned>(s.width);
}

// The element that tap `tap` of the pixel meets, or zero.
template <class E>
__device__ __forceinline__ typename E::Stored gathered(const LayerShape& s, const void* input,
                                                       const PixelPlace& pixel,
                                                       const TapPlace& tap) {
    if (!inside(s, pixel, tap.dy, tap.dx)) return typename E::Stored{};
    return static_cast<const typename E::Stored*>(
        input)[pixel.first + static_cast<unsigned>(tap.offset)];
}

// Where output channel 0 of a pixel is stored, and how far the next channel is.
struct OutputPlace {
    unsigned first, channel;
};

__device__ __forceinline__ OutputPlace output_place(const LayerShape& s, unsigned index) {
    const auto channels = static_cast<unsigned>(s.out_channels);
    if (s.channels_last) return {index * channels, 1};
    const unsigned plane = static_cast<unsigned>(s.out_width) * static_cast<unsigned>(s.out_height);
    return {index / plane * channels * plane + index % plane, plane};
}

}  // namespace weft
