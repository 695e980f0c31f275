// The kernel tensor_dense: any taps as banded Toeplitz matrices on tensor cores.
//
// Idea: 16 rows of eight neighbouring outputs are a 16×8 accumulator. One row of K taps adds to it
// the product of 16 input rows, K + 7 samples wide, with a band of the taps. K = 3, taps a b c:
//
//     output     0 1 2 3 4 5 6 7
//     input -1   a . . . . . . .     inputs come in chunks of eight: a fragment of mma.m16n8k16
//     input  0   b a . . . . . .     takes two; the band is the same for every group of outputs
//     input  1   c b a . . . . .
//     ...
//     input  8   . . . . . . . c
//
// The next tap row multiplies the same chunks one image row further down, which ldmatrix fetches
// from shared memory. A warp keeps eight accumulators side by side, so a chunk that is loaded once
// serves every output group that reaches it; several interleaved channels only space the taps out.
//
// Arithmetic: samples of up to 12 bits less the middle m of their range, 128 for 8 bits and 2048
// for 12, are exact in half precision, taps are rounded to it, sums are fp32. A sum errs by at most
// m Σ|w| 1.25 · 2^-11, and by nothing when all taps are whole numbers that half precision holds.
// Source: banded Toeplitz blocks as in HardBoiled (CGO 2026) and ConvStencil (PPoPP 2024) for
// stencils; the chunks shared between output groups are ours
// Launch: blocks of 128 or 256 threads for 32 or 64 rows of 128 samples; shared memory for a tile
// in half precision and the samples of the next (tensor_tile.cuh)
// Cost per 128 outputs and tap row: ⌈(K + 7) / 8⌉ / 2 mma.m16n8k16 (K = 9: one, 2048 products for
// 1152 useful ones) and 1 + ⌈(K - 1) / 8⌉ / 8 chunk loads of 256 bytes
// Registers (sm_90, nvcc 13.0, no spills, no stack): 77 to 80; several tap sets 108 to 117
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/tensor/tensor_band.cuh"
#include "kernels/tensor/tensor_tile.cuh"

namespace weft {

// One tap row of `Chunks` chunks: each is loaded once.
template <int Chunks>
__device__ __forceinline__ void multiply_tap_row(const Words<4>* row,
                                                 const BandFragments<Chunks>& band,
                                                 const TensorStart* start, TensorSums& sums) {
    constexpr int kPairs = kChunkPairs<Chunks>;
    ChunkFragment chunks[2 * kPairs];
#pragma unroll
    for (int p = 0; p < kPairs; ++p) load_chunks(row + 2 * p, chunks[2 * p], chunks[2 * p + 1]);
    multiply_band<Chunks>(chunks, band, start, sums);
}

// `band` is that of the first tap row; the others are loaded a row ahead.
template <int Chunks>
__device__ __forceinline__ void sum_unrolled(const TensorArgs& args, const TensorWarp& from,
                                             const std::uint32_t* bands, const TensorStart& start,
                                             BandFragments<Chunks> band, TensorSums& sums) {
    const Words<4>* row = from.chunks;
    const auto next = [&](int j) {
        return BandFragments<Chunks>(bands + min(j, args.tap_rows - 1) * 32 * Chunks, from.lane);
    };
    BandFragments<Chunks> ahead = next(1);
    multiply_tap_row<Chunks>(row, band, &start, sums);
#pragma unroll 1
    for (int j = 1; j < args.tap_rows; ++j) {
        band = ahead;
        ahead = next(j + 1);
        row += args.tile.pitch;
        multiply_tap_row<Chunks>(row, band, nullptr, sums);
    }
}

// Any even number of chunks: every pair of a tap row loads its own.
__device__ __forceinline__ void sum_pairs(const TensorArgs& args, const TensorWarp& from,
                                          const std::uint32_t* bands, const TensorStart& start,
                                          BandFragments<2> band, TensorSums& sums) {
#pragma unroll
    for (int n = 0; n < kTensorTiles; ++n) {
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[n][v] = start.of[v];
    }
    const Words<4>* row = from.chunks;
    const int last = args.tap_rows * args.chunks - 2;
    int c = 0;
#pragma unroll 1
    for (int pair = 0; pair <= last; pair += 2) {
        bands += pair < last ? 64 : 0;
        const BandFragments<2> next(bands, from.lane);
        multiply_tap_row<2>(row + c, band, nullptr, sums);
        band = next;
        c += 2;
        if (c == args.chunks) {
            c = 0;
            row += args.tile.pitch;
        }
    }
}

template <int Chunks>
using FirstBand = BandFragments<Chunks == 0 ? 2 : Chunks>;

template <int Chunks>
__device__ __forceinline__ void sum_set(const TensorArgs& args, const TensorWarp& from, int set,
                                        const FirstBand<Chunks>& first, TensorSums& sums) {
    const std::uint32_t* const bands = args.bands + set * args.tap_rows * args.chunks * 32;
    const TensorStart start(args, set, from.lane);
    if constexpr (Chunks > 0)
        sum_unrolled<Chunks>(args, from, bands, start, first, sums);
    else
        sum_pairs(args, from, bands, start, first, sums);
}

__device__ __forceinline__ void divide_by_factor(const TensorArgs& args, int set, int lane,
                                                 TensorSums& sums) {
    const TensorChannels channels(args, lane);
#pragma unroll
    for (int n = 0; n < kTensorTiles; ++n) {
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[n][v] *= args.inverse[set][channels.of[v % 2]];
    }
}

__device__ __forceinline__ void combine_tensor_sums(bool magnitude, const TensorSums& sums,
                                                    TensorSums& result) {
#pragma unroll
    for (int n = 0; n < kTensorTiles; ++n) {
#pragma unroll
        for (int v = 0; v < 4; ++v)
            result[n][v] = magnitude ? magnitude_of(result[n][v], sums[n][v])
                                     : larger(result[n][v], sums[n][v]);
    }
}

// Folds the sets after the first into `result`.
template <int Chunks>
__device__ __forceinline__ void add_other_sets(const TensorArgs& args, const TensorWarp& warp,
                                               TensorSums& result) {
    divide_by_factor(args, 0, warp.lane, result);
#pragma unroll 1
    for (int set = 1; set < args.sets; ++set) {
        TensorSums sums;
        const FirstBand<Chunks> first(args.bands + set * args.tap_rows * args.chunks * 32,
                                      warp.lane);
        sum_set<Chunks>(args, warp, set, first, sums);
        divide_by_factor(args, set, warp.lane, sums);
        combine_tensor_sums(args.magnitude, sums, result);
    }
}

template <class P, int Chunks, bool SeveralSets>
__device__ __forceinline__ void filter_dense(const TensorArgs& args, int thread) {
    const TensorWarp warp(args, thread, tensor_tile);
    const FirstBand<Chunks> first(args.bands, warp.lane);
    wait_for_predecessors();
    let_successor_start();
    for_each_tile<P>(args, thread, [&](const TensorOrigin& origin) {
        TensorSums sums;
        sum_set<Chunks>(args, warp, 0, first, sums);
        if constexpr (SeveralSets) add_other_sets<Chunks>(args, warp, sums);
        store_tensor_sums<P>(args, warp.target(args, origin), warp.lane,
                             SeveralSets ? args.images.scale : args.gain, sums);
    });
}

// P: U8, or U16 of up to 12 bits. Chunks per tap row's band: 2 to 5, or 0 for any even number at
// run time.
template <class P, int Chunks, bool SeveralSets>
__global__ void __launch_bounds__(kMaxTensorThreads, SeveralSets ? 2 : 3)
    tensor_dense(const __grid_constant__ TensorArgs args) {
    filter_dense<P, Chunks, SeveralSets>(args, tensor_thread());
}

using TensorKernel = void (*)(TensorArgs);

// It is static because the tests compile this file for the CPU, and one program has both.
template <class P, bool SeveralSets>
static TensorKernel dense_kernel(int chunks) {
    constexpr TensorKernel kKernels[] = {
        tensor_dense<P, 0, SeveralSets>, nullptr,
        tensor_dense<P, 2, SeveralSets>, tensor_dense<P, 3, SeveralSets>,
        tensor_dense<P, 4, SeveralSets>, tensor_dense<P, 5, SeveralSets>};
    return kKernels[unrolled_chunks(chunks)];
}

template <class P>
static TensorKernel dense_kernel(const TensorArgs& args) {
    return args.sets > 1 ? dense_kernel<P, true>(args.chunks) : dense_kernel<P, false>(args.chunks);
}

// The compiled kernel for a layout of such pixels.
static inline TensorKernel dense_kernel(PixelType type, const TensorArgs& args) {
    return type == PixelType::u8 ? dense_kernel<U8>(args) : dense_kernel<U16>(args);
}

}  // namespace weft
