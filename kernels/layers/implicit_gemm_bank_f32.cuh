// implicit_gemm for few input channels, f32 in nchw: index arithmetic per row, not per tap.
//
// Idea: the gathered matrix of a row of pixels and a row of taps is that row of input at K
// distances. A block keeps the input of four rows of 256 outputs and the weights of 16 maps in
// shared memory. A lane holds a window of input for two runs of four pixels in registers and, tap
// by tap, reads the 16 weights, the same for all lanes, as four vectors for 128 multiplications:
//
//   lane 0:   pixels 0 1 2 3 and 128 129 130 131    window  0 … 3 + K - 1, 128 … 131 + K - 1
//   lane 1:          4 5 6 7     132 133 134 135            4 …            132 …
//
// Source: register tiles as in every SGEMM; cuDNN's implicit GEMM (Chetlur et al., 2014)
// Launch: 128 threads per tile, tiles of x fastest; weights, then input in shared memory
#pragma once

#include "kernels/common/async_copy.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/implicit_gemm_bank.h"

namespace weft {

extern __shared__ Floats<4> bank_tile[];

struct BankPlace {
    int n, first_map, y, x;  // the block's first output
};

template <int Rows, int Pixels>
__device__ __forceinline__ BankPlace bank_place(const BankArgs& a) {
    auto block = static_cast<int>(blockIdx.x);
    BankPlace place{};
    place.x = block % a.tiles_x * Pixels;
    block /= a.tiles_x;
    place.y = block % a.tiles_y * Rows;
    block /= a.tiles_y;
    place.first_map = block % a.map_tiles * kBankMaps;
    place.n = block / a.map_tiles;
    return place;
}

template <int Threads>
__device__ __forceinline__ void fetch_bank_weights(const BankArgs& a, const BankPlace& at,
                                                   int thread, void* to) {
    const auto* const from =
        static_cast<const char*>(a.weights) +
        static_cast<long long>(at.first_map / kBankMaps) * a.weight_vectors * 16;
    for (int k = thread; k < a.weight_vectors; k += Threads)
        copy_vector(static_cast<char*>(to) + k * 16, from + k * 16);
}

template <int K>
constexpr int kBankWindow = bank_window(K);

template <int K>
constexpr int kBankPitch = kBankPixels / 4 + kBankWindow<K> - 1;  // vectors

// Zeros outside the plane.
template <int K>
__device__ __forceinline__ void fetch_bank_rows(const BankArgs& a, const BankPlace& at, int warp,
                                                int lane, float* to) {
    const LayerShape& s = a.shape;
    for (int row = warp; row < s.in_channels * a.tile_rows; row += kBankWarps) {
        const int channel = row / a.tile_rows;
        const int y = at.y - s.padding_y + row % a.tile_rows;
        const bool inside = y >= 0 && y < s.height;
        const auto* const input =
            static_cast<const float*>(a.input) +
            (static_cast<long long>(at.n) * s.in_channels + channel) * s.height * s.width +
            (inside ? static_cast<long long>(y) * s.width : 0);
        float* const line = to + row * kBankPitch<K> * 4;
        for (int k = lane; k < kBankPitch<K> * 4; k += 32) {
            const int x = at.x - s.padding_x + k;
            if (inside && x >= 0 && x < s.width)
                copy_word(line + k, input + x);
            else
                line[k] = 0.0F;
        }
    }
}

using BankSums = float[kBankMaps][2 * kBankRun];

// A row of taps: `input` is the lane's first vector of a row, `weights` those of its first tap.
template <int K>
__device__ __forceinline__ void add_bank_row(const Floats<4>* input, const Floats<4>* weights,
                                             BankSums& sums) {
    Floats<4> window[2][kBankWindow<K>];
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
        for (int v = 0; v < kBankWindow<K>; ++v) window[h][v] = input[h * (kBankHalf / 4) + v];
#pragma unroll
    for (int i = 0; i < K; ++i) {
#pragma unroll
        for (int m = 0; m < kBankMaps; ++m) {
            const float w = weights[(i * kBankMaps + m) / 4].v[m % 4];
#pragma unroll
            for (int p = 0; p < 2 * kBankRun; ++p) {
                const int x = p % kBankRun + i;
                sums[m][p] = __fmaf_rn(w, window[p / kBankRun][x / 4].v[x % 4], sums[m][p]);
            }
        }
    }
}

__device__ __forceinline__ void store_bank_run(const BankArgs& a, float* output, int x,
                                               const float* sums) {
    if (a.whole_vectors) {
        if (x < a.shape.out_width)
            *reinterpret_cast<Floats<4>*>(output) = {{sums[0], sums[1], sums[2], sums[3]}};
        return;
    }
#pragma unroll
    for (int p = 0; p < kBankRun; ++p)
        if (x + p < a.shape.out_width) output[p] = sums[p];
}

template <int K>
__global__ void __launch_bounds__(32 * kBankWarps, 3)
    layer_bank_f32(const __grid_constant__ BankArgs a) {
    const LayerShape& s = a.shape;
    const auto lane = static_cast<int>(threadIdx.x);
    const auto warp = static_cast<int>(threadIdx.y);
    const BankPlace at = bank_place<kBankWarps, kBankPixels>(a);
    Floats<4>* const rows = bank_tile + a.weight_vectors;
    fetch_bank_weights<32 * kBankWarps>(a, at, warp * 32 + lane, bank_tile);
    fetch_bank_rows<K>(a, at, warp, lane, rows->v);
    wait_copies();
    __syncthreads();
    const int y = at.y + warp;
    if (y >= s.out_height) return;

    BankSums sums{};
    const Floats<4>* weights = bank_tile;
#pragma unroll 1
    for (int c = 0; c < s.in_channels; ++c) {
        const Floats<4>* input = rows + (c * a.tile_rows + warp) * kBankPitch<K> + lane;
#pragma unroll 1
        for (int j = 0; j < s.taps_y; ++j) {
            add_bank_row<K>(input, weights, sums);
            input += kBankPitch<K>;
            weights += K * kBankMaps / 4;
        }
    }
#pragma unroll
    for (int m = 0; m < kBankMaps; ++m) {
        if (at.first_map + m >= s.out_channels) return;
        auto* const output =
            static_cast<float*>(a.output) +
            ((static_cast<long long>(at.n) * s.out_channels + at.first_map + m) * s.out_height +
             y) *
                s.out_width;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int x = at.x + h * kBankHalf + lane * kBankRun;
            store_bank_run(a, output + x, x, sums[m] + h * kBankRun);
        }
    }
}

}  // namespace weft
