// The layer form of shared_tile: the input of a tile of outputs in shared memory, a few
// channels at a time.
//
// Idea: the input shared by neighbouring outputs and output channels is loaded once per block, as
// fp32 and with the padding's zeros. A thread sums four places of four output channels (of one for
// depthwise layers), so that an element and a weight are read for four products each.
//
//     block of up to 8 warps        ┌───────────┐   ┌ channel 0 of the chunk
//     tile of outputs, any shape    │ ┌───────┐ │┐  ├ channel 1
//     warps = those for its pixels  │ │outputs│ ││  │   …       after the barrier every thread
//       × those for its channels    │ └───────┘ ││  └           reads its own windows
//                                   └───────────┘│
// Source: textbook (NVIDIA's convolution samples, 2007)
// Launch: block 32 × warps, one-dimensional grid: channels of a tile are neighbours, for the L2
// Limits: one channel's input for one output fits into shared memory
// Cost per product: a quarter of a load from shared memory and a sixteenth of 16 bytes of weights
// (depthwise one and a quarter of 4 bytes)
#pragma once

#include "kernels/common/elements.cuh"
#include "kernels/common/quotient.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/layer_shared_tile.h"
#include "kernels/layers/layer_taps.cuh"

namespace weft {

extern __shared__ float layer_tile_samples[];

// A block's first output, its group and its first row of output channels.
struct TileLayerPlace {
    int n, y, x, group, row;
};

__device__ __forceinline__ TileLayerPlace tile_layer_place(const TileLayerArgs& a) {
    auto index = static_cast<int>(blockIdx.x);
    const auto split = [&](int length) {
        const int at = index % length;
        index /= length;
        return at;
    };
    TileLayerPlace place{};
    place.row = split(a.row_blocks) * a.row_warps;
    place.group = split(a.shape.in_channels / a.shape.group_inputs);
    place.x = split(a.tiles_x) * a.tile_width;
    place.y = split(a.tiles_y) * a.tile_height;
    place.n = index;
    return place;
}

// An element of a chunk: its channel and its place in the patch.
struct TileLayerElement {
    int channel, y, x;
};

// Neighbours in the order of the layout.
__device__ __forceinline__ TileLayerElement tile_layer_element(const TileLayerArgs& a, int k) {
    const auto index = static_cast<unsigned>(k);
    const auto outer = static_cast<int>(divided(index, a.outer));
    const unsigned rest = remainder_of(index, a.outer);
    const auto middle = static_cast<int>(divided(rest, a.inner));
    const auto inner = static_cast<int>(remainder_of(rest, a.inner));
    if (a.shape.channels_last) return {inner, outer, middle};
    return {outer, middle, inner};
}

// All threads of the block load the patches of `channels` inputs from the group's `first` on.
template <class E>
__device__ __forceinline__ void fill_layer_tile(const TileLayerArgs& a, const TileLayerPlace& place,
                                                int first, int channels) {
    const LayerShape& s = a.shape;
    const LayerStrides strides = input_strides(s, place.n, place.group);
    const auto* const input = static_cast<const typename E::Stored*>(a.input) + strides.first +
                              static_cast<unsigned>(first) * strides.channel;
    const int patch = a.patch_height * a.patch_width;
    const int threads = 32 * a.pixel_warps * a.row_warps;
#pragma unroll 2
    for (int k = static_cast<int>(threadIdx.y * 32 + threadIdx.x); k < a.chunk * patch;
         k += threads) {
        const TileLayerElement at = tile_layer_element(a, k);
        if (at.channel >= channels) continue;
        const int y = place.y * s.stride_y - s.padding_y + at.y;
        const int x = place.x * s.stride_x - s.padding_x + at.x;
        const bool inside = y >= 0 && y < s.height && x >= 0 && x < s.width;
        layer_tile_samples[at.channel * patch + at.y * a.patch_width + at.x] =
            inside ? E::value(input[static_cast<unsigned>(at.channel) * strides.channel +
                                    static_cast<unsigned>(y) * strides.row +
                                    static_cast<unsigned>(x) * strides.column])
                   : 0.0F;
    }
}

// `weights`: the row's, from the chunk's first channel on. `windows`: the starts of the thread's
// places in a patch.
template <int Outputs, int Pixels>
__device__ __forceinline__ void sum_layer_tile(const TileLayerArgs& a,
                                               const Floats<Outputs>* weights, int channels,
                                               const int (&windows)[Pixels],
                                               float (&sums)[Pixels][Outputs]) {
    const LayerShape& s = a.shape;
#pragma unroll 1
    for (int c = 0; c < channels; ++c) {
#pragma unroll 1
        for (int j = 0; j < s.taps_y; ++j) {
            const float* at =
                layer_tile_samples + (c * a.patch_height + j * s.dilation_y) * a.patch_width;
#pragma unroll 2
            for (int i = 0; i < s.taps_x; ++i, at += s.dilation_x, ++weights) {
                const Floats<Outputs> w = *weights;
#pragma unroll
                for (int p = 0; p < Pixels; ++p) {
                    const float v = at[windows[p]];
#pragma unroll
                    for (int o = 0; o < Outputs; ++o) sums[p][o] = __fmaf_rn(w.v[o], v, sums[p][o]);
                }
            }
        }
    }
}

template <class E, int Outputs, int Pixels>
__device__ __forceinline__ void store_layer_tile(const TileLayerArgs& a,
                                                 const TileLayerPlace& place, int row, int first,
                                                 const float (&sums)[Pixels][Outputs]) {
    const LayerShape& s = a.shape;
    const LayerStrides strides = output_strides(s, place.n);
    auto* const output = static_cast<typename E::Stored*>(a.output) + strides.first;
    const int end = min(row * Outputs + Outputs, s.group_outputs);
#pragma unroll
    for (int p = 0; p < Pixels; ++p) {
        const int pixel = first + 32 * p;
        const int y = place.y + pixel / a.tile_width;
        const int x = place.x + pixel % a.tile_width;
        if (pixel >= a.tile_height * a.tile_width || y >= s.out_height || x >= s.out_width)
            continue;
        const unsigned at =
            static_cast<unsigned>(y) * strides.row + static_cast<unsigned>(x) * strides.column;
#pragma unroll
        for (int o = 0; o < Outputs; ++o) {
            if (row * Outputs + o >= end) continue;
            const int channel = place.group * s.group_outputs + row * Outputs + o;
            output[at + static_cast<unsigned>(channel) * strides.channel] = E::stored(sums[p][o]);
        }
    }
}

template <class E, int Outputs, int Pixels>
__global__ void __launch_bounds__(32 * kTileLayerWarps, 4)
    layer_shared_tile(const __grid_constant__ TileLayerArgs a) {
    const LayerShape& s = a.shape;
    const TileLayerPlace place = tile_layer_place(a);
    const auto warp = static_cast<int>(threadIdx.y);
    const int row = place.row + warp / a.pixel_warps;
    const int first = warp % a.pixel_warps * 32 * Pixels + static_cast<int>(threadIdx.x);
    const int last = a.tile_height * a.tile_width - 1;
    int windows[Pixels];
#pragma unroll
    for (int p = 0; p < Pixels; ++p) {
        const int pixel = min(first + 32 * p, last);
        windows[p] =
            pixel / a.tile_width * s.stride_y * a.patch_width + pixel % a.tile_width * s.stride_x;
    }
    const int taps = s.taps_y * s.taps_x;
    const auto* const weights =
        reinterpret_cast<const Floats<Outputs>*>(a.weights) +
        static_cast<long long>(place.group * a.rows + min(row, a.rows - 1)) * s.group_inputs * taps;
    float sums[Pixels][Outputs] = {};
    for (int channel = 0; channel < s.group_inputs; channel += a.chunk) {
        const int channels = min(a.chunk, s.group_inputs - channel);
        if (channel > 0) __syncthreads();
        fill_layer_tile<E>(a, place, channel, channels);
        __syncthreads();
        sum_layer_tile<Outputs, Pixels>(a, weights + channel * taps, channels, windows, sums);
    }
    if (row < a.rows) store_layer_tile<E, Outputs, Pixels>(a, place, row, first, sums);
}

using TileLayerKernel = void (*)(TileLayerArgs);

// The compiled kernel of a form, from the member template form() of `kernels`: the program and the
// tests each have one of the same name.
template <class E, class Kernels>
TileLayerKernel pick_tile_layer(const TileLayerForm& form, const Kernels& kernels) {
    if (form == kTileLayerOne)
        return kernels.template form<E, kTileLayerOne.outputs, kTileLayerOne.pixels>();
    return kernels.template form<E, kTileLayerFour.outputs, kTileLayerFour.pixels>();
}

template <class Kernels>
TileLayerKernel pick_tile_layer(const TileLayerForm& form, LayerType type, const Kernels& kernels) {
    return type == LayerType::f32 ? pick_tile_layer<ElementF32>(form, kernels)
                                  : pick_tile_layer<ElementF16>(form, kernels);
}

}  // namespace weft
