// The layer form of fft: planes through the frequency domain, where a convolution is a
// product and a layer one product of matrices for each frequency.
//
// Idea: planes are cut into tiles that overlap by the taps (overlap-save). The spectra of all
// inputs of a tile are multiplied with the conjugate ones of the weights, which are transformed
// once, and added up over the inputs of a group; one transform back for each output. At stride s
// every s-th result is an output. cuFFT transforms, in place; these kernels fetch, multiply and
// finish.
//
//     input planes ─fetch─> tiles ─cuFFT─> X[tile][c][f] ─┐
//     weights ─place─> tiles ─cuFFT─> W[m][c][f] ─────────┴─ Σ X·conj W ─> Y[tile][m][f] ─cuFFT─> …
//
// Source: Mathieu, Henaff, LeCun, ICLR 2014; Vasilache et al., ICLR 2015. Error bound, with u =
// 2^-24: a transform of N ≤ 2^16 samples takes log2 N + 1 steps of 7u (Higham, Accuracy and
// Stability, chapter 24): X and W err by 119u of their norms, and each sample that comes back by
// 119u of the mean of |Y|. The weights' division and the sums of n complex products add 3(n + 1)u.
// By Cauchy, Schwarz and Parseval the mean of |X| |W| is at most ‖x‖ ‖w‖, so that an output errs by
// (360 + 3n)u · Σ ‖x‖ ‖w‖ over its n inputs, ‖x‖ of the tile
// Launch: fetch, place and finish, a block per plane; multiply, 32 frequencies × 8 rows of outputs
// Limits: taps of up to 128 per side with their dilation; spectra of up to 1 GiB; a NaN or an
// infinity spreads over its tile
// Cost: 2.5 n log2 n operations per plane of n samples, and 4 n for each pair of input and output
#pragma once

#include "kernels/common/elements.cuh"
#include "kernels/common/quotient.cuh"
#include "kernels/layers/layer_fft.h"
#include "kernels/layers/layer_taps.cuh"

namespace weft {

constexpr int kFftLayerWarps = 4;
constexpr int kFftLayerThreads = 32 * kFftLayerWarps;

__device__ __forceinline__ float* fft_plane(const FftLayerArgs& a, float* planes, long long index) {
    return planes + index * a.height * (a.width + 2);
}

// A tile's first output, in rows and columns, and its image.
struct FftLayerPlace {
    int n, y, x;
};

__device__ __forceinline__ FftLayerPlace fft_layer_place(const FftLayerArgs& a, int tile_of_round) {
    const int tile = a.first_tile + tile_of_round;
    const int row = tile / a.tiles_x;
    return {row / a.tiles_y, row % a.tiles_y * a.tile_height, tile % a.tiles_x * a.tile_width};
}

// The place of element `k` of the contiguous elements of a block, counted row by row.
struct FftElement {
    int y, x;
};

__device__ __forceinline__ FftElement fft_element(int k, const Quotient& width) {
    const auto index = static_cast<unsigned>(k);
    return {static_cast<int>(divided(index, width)), static_cast<int>(remainder_of(index, width))};
}

// The taps of an output and an input, dilated, at the start of a tile of zeros. `weights` as in
// FftLayerPlan.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    fft_layer_place_taps(const __grid_constant__ FftLayerArgs a, const float* weights,
                         float* planes) {
    const LayerShape& s = a.shape;
    const float* const taps = weights + static_cast<long long>(blockIdx.x) * s.taps_y * s.taps_x;
    float* const to = fft_plane(a, planes, blockIdx.x);
    for (int k = static_cast<int>(threadIdx.y * 32 + threadIdx.x); k < a.height * a.width;
         k += Threads) {
        const FftElement at = fft_element(k, a.row_samples);
        const int j = at.y / s.dilation_y;
        const int i = at.x / s.dilation_x;
        const bool tap =
            j < s.taps_y && i < s.taps_x && j * s.dilation_y == at.y && i * s.dilation_x == at.x;
        to[at.y * (a.width + 2) + at.x] = tap ? taps[j * s.taps_x + i] : 0.0F;
    }
}

// A plane of a tile, with the padding's zeros.
template <class E>
__global__ void __launch_bounds__(kFftLayerThreads)
    fft_layer_fetch(const __grid_constant__ FftLayerArgs a) {
    const LayerShape& s = a.shape;
    const auto plane = static_cast<int>(blockIdx.x);
    const FftLayerPlace place = fft_layer_place(a, plane / s.in_channels);
    const LayerStrides strides = input_strides(s, place.n, 0);
    const auto* const from = static_cast<const typename E::Stored*>(a.input) + strides.first +
                             static_cast<unsigned>(plane % s.in_channels) * strides.channel;
    float* const to = fft_plane(a, a.inputs, plane);
    for (int k = static_cast<int>(threadIdx.y * 32 + threadIdx.x); k < a.height * a.width;
         k += kFftLayerThreads) {
        const FftElement at = fft_element(k, a.row_samples);
        const int y = place.y * s.stride_y - s.padding_y + at.y;
        const int x = place.x * s.stride_x - s.padding_x + at.x;
        const bool inside = y >= 0 && y < s.height && x >= 0 && x < s.width;
        to[at.y * (a.width + 2) + at.x] =
            inside ? E::value(from[static_cast<unsigned>(y) * strides.row +
                                   static_cast<unsigned>(x) * strides.column])
                   : 0.0F;
    }
}

struct alignas(8) FftNumber {
    float real, imaginary;
};

// sum + x · conj(w)
__device__ __forceinline__ void add_product(FftNumber& sum, const FftNumber& x,
                                            const FftNumber& w) {
    sum.real = __fmaf_rn(x.real, w.real, __fmaf_rn(x.imaginary, w.imaginary, sum.real));
    sum.imaginary = __fmaf_rn(x.imaginary, w.real, __fmaf_rn(-x.real, w.imaginary, sum.imaginary));
}

// A thread is a frequency of kFftLayerTiles tiles and `Outputs` outputs.
template <int Outputs>
__global__ void __launch_bounds__(32 * kFftRowWarps)
    fft_layer_multiply(const __grid_constant__ FftLayerArgs a,
                       const __grid_constant__ FftProducts grid) {
    const LayerShape& s = a.shape;
    const auto index = static_cast<int>(blockIdx.x);
    const int row = index % grid.row_blocks * kFftRowWarps + static_cast<int>(threadIdx.y);
    const int frequency = index / grid.row_blocks % grid.frequency_blocks * kFftFrequencies +
                          static_cast<int>(threadIdx.x);
    const int tile = index / grid.row_blocks / grid.frequency_blocks * kFftLayerTiles;
    const int size = a.height * (a.width / 2 + 1);
    const int group = row / a.rows;
    if (frequency >= size || group * s.group_outputs >= s.out_channels) return;
    const int first = row % a.rows * Outputs;  // in the group
    const FftNumber* x[kFftLayerTiles];
    const FftNumber* w[Outputs];
#pragma unroll
    for (int t = 0; t < kFftLayerTiles; ++t) {
        const long long at = static_cast<long long>(min(tile + t, a.round_tiles - 1));
        x[t] = reinterpret_cast<const FftNumber*>(a.inputs) +
               (at * s.in_channels + group * s.group_inputs) * size + frequency;
    }
#pragma unroll
    for (int o = 0; o < Outputs; ++o) {
        const long long m = group * s.group_outputs + min(first + o, s.group_outputs - 1);
        w[o] =
            reinterpret_cast<const FftNumber*>(a.spectra) + m * s.group_inputs * size + frequency;
    }
    FftNumber sums[kFftLayerTiles][Outputs] = {};
#pragma unroll 2
    for (int c = 0; c < s.group_inputs; ++c) {
        FftNumber weights[Outputs];
#pragma unroll
        for (int o = 0; o < Outputs; ++o) weights[o] = w[o][static_cast<long long>(c) * size];
#pragma unroll
        for (int t = 0; t < kFftLayerTiles; ++t) {
            const FftNumber sample = x[t][static_cast<long long>(c) * size];
#pragma unroll
            for (int o = 0; o < Outputs; ++o) add_product(sums[t][o], sample, weights[o]);
        }
    }
    auto* const outputs = reinterpret_cast<FftNumber*>(a.outputs);
#pragma unroll
    for (int t = 0; t < kFftLayerTiles; ++t) {
#pragma unroll
        for (int o = 0; o < Outputs; ++o) {
            if (tile + t >= a.round_tiles || first + o >= s.group_outputs) continue;
            const long long plane = static_cast<long long>(tile + t) * s.out_channels +
                                    group * s.group_outputs + first + o;
            outputs[plane * size + frequency] = sums[t][o];
        }
    }
}

// The outputs of a plane of a tile.
template <class E>
__global__ void __launch_bounds__(kFftLayerThreads)
    fft_layer_finish(const __grid_constant__ FftLayerArgs a) {
    const LayerShape& s = a.shape;
    const auto plane = static_cast<int>(blockIdx.x);
    const FftLayerPlace place = fft_layer_place(a, plane / s.out_channels);
    const LayerStrides strides = output_strides(s, place.n);
    auto* const to = static_cast<typename E::Stored*>(a.output) + strides.first +
                     static_cast<unsigned>(plane % s.out_channels) * strides.channel;
    const float* const from = fft_plane(a, a.outputs, plane);
    for (int k = static_cast<int>(threadIdx.y * 32 + threadIdx.x); k < a.tile_height * a.tile_width;
         k += kFftLayerThreads) {
        const FftElement at = fft_element(k, a.row_outputs);
        const int y = place.y + at.y;
        const int x = place.x + at.x;
        if (y >= s.out_height || x >= s.out_width) continue;
        to[static_cast<unsigned>(y) * strides.row + static_cast<unsigned>(x) * strides.column] =
            E::stored(from[at.y * s.stride_y * (a.width + 2) + at.x * s.stride_x]);
    }
}

}  // namespace weft
