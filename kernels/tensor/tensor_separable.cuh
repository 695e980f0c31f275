// The kernel tensor_separable: a column pass and a row pass on tensor cores in one launch.
//
// Idea: 16 output rows of eight samples are first a banded matrix of the column factors times the
// 16 + H - 1 image rows above each other; the accumulator, rounded to half precision, then is a
// chunk of the left matrix of the row pass, in the same registers:
//
//     image rows (k) × 8 samples        accumulator 16 × 8          chunk of A, 16 × 8
//     ldmatrix.trans: matrix B    ->    mma: band · B         ->    mma: chunks · band  -> 16 × 8
//
// Nothing is written between the passes, and the cost grows with K / 16.
//
// Arithmetic: samples less 128 are exact in half precision, factors and the column pass's result
// are rounded to it, sums are fp32: a sum errs by at most 128 Σ|row| Σ|column| 3.25 · 2^-11.
// Source: banded Toeplitz blocks as in tensor_dense.cuh; the accumulator as operand of the next
// product as in FlashAttention-2; the combination is ours.
// Launch: as tensor_dense
// Cost per 128 outputs, in mma.m16n8k16: (1 + ⌈(K - 1) / 8⌉ / 8) ⌈(H + 15) / 8⌉ / 2 for columns and
// ⌈(K + 7) / 8⌉ / 2 for rows (K = H = 15: 4.0)
// Registers (sm_90, nvcc 13.0, no spills, no stack): 80 up to 9 taps per row, 95 to 110 above.
#pragma once

#include "kernels/tensor/tensor_band.cuh"
#include "kernels/tensor/tensor_tile.cuh"

namespace weft {

// Chunks k and k + 1 of the column factors' band, 16 output rows × 8 image rows each.
struct ColumnFragments {
    __device__ __forceinline__ ColumnFragments(const TensorArgs& args, int k, int lane)
        : above{args.columns[2 * k * 32 + lane], args.columns[(2 * k + 1) * 32 + lane]},
          below{args.columns[(2 * k + 2) * 32 + lane], args.columns[(2 * k + 3) * 32 + lane]} {}
    ChunkFragment above;
    ChunkFragment below;
};

// 16 image rows of `2 Pairs` chunks of eight samples, added to the column pass's sums or, as the
// first, in their place.
template <int Pairs, bool First>
__device__ __forceinline__ void multiply_rows(const SegmentWords* rows, const ColumnFragments& band,
                                              float (&sums)[2 * Pairs][4]) {
    constexpr float kZero[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    ChunkFragment left{};
    ChunkFragment right{};
#pragma unroll
    for (int p = 0; p < Pairs; ++p) {
        load_columns(rows + 2 * p, left, right);
        if (First) {
            multiply_chunks(sums[2 * p], kZero, band.above, band.below, left.low, left.high);
            multiply_chunks(sums[2 * p + 1], kZero, band.above, band.below, right.low, right.high);
        } else {
            multiply_chunks(sums[2 * p], band.above, band.below, left.low, left.high);
            multiply_chunks(sums[2 * p + 1], band.above, band.below, right.low, right.high);
        }
    }
}

// The last eight image rows of an odd number of chunks.
template <int Pairs>
__device__ __forceinline__ void multiply_last_rows(const TensorArgs& args, const TensorWarp& warp,
                                                   const SegmentWords* rows,
                                                   const ColumnFragments& band,
                                                   float (&sums)[2 * Pairs][4]) {
    // The lanes of the eight rows below, which may not exist, read these twice.
    rows -= (warp.lane / 8 & 1) * 8 * args.tile.pitch;
    ChunkFragment left{};
    ChunkFragment right{};
#pragma unroll
    for (int p = 0; p < Pairs; ++p) {
        load_columns(rows + 2 * p, left, right);
        multiply_chunk(sums[2 * p], band.above, left.low);
        multiply_chunk(sums[2 * p + 1], band.above, right.low);
    }
}

// The column pass. The band's fragments stay in the L1 cache from tile to tile.
template <int Pairs>
__device__ __forceinline__ void sum_columns(const TensorArgs& args, const TensorWarp& warp,
                                            float (&sums)[2 * Pairs][4]) {
    const SegmentWords* rows = warp.chunks;
    multiply_rows<Pairs, true>(rows, ColumnFragments(args, 0, warp.lane), sums);
    int k = 2;
#pragma unroll 1
    for (; k + 1 < args.column_chunks; k += 2) {
        rows += 16 * args.tile.pitch;
        multiply_rows<Pairs, false>(rows, ColumnFragments(args, k, warp.lane), sums);
    }
    if (k < args.column_chunks)
        multiply_last_rows<Pairs>(args, warp, rows + 16 * args.tile.pitch,
                                  ColumnFragments(args, k, warp.lane), sums);
}

template <int Chunks>
__device__ __forceinline__ void filter_separable(const TensorArgs& args, int thread) {
    constexpr int kPairs = kChunkPairs<Chunks>;
    const TensorWarp warp(args, thread, tensor_tile);
    for_each_tile(args, thread, [&](const TensorOrigin& origin) {
        const BandFragments<Chunks> band(args.bands, warp.lane);
        ChunkFragment chunks[2 * kPairs];
        {
            float columns[2 * kPairs][4];
            sum_columns<kPairs>(args, warp, columns);
#pragma unroll
            for (int m = 0; m < 2 * kPairs; ++m) chunks[m] = rounded_chunk(columns[m]);
        }
        const TensorStart start(args, 0, warp.lane);
        TensorSums sums;
        multiply_band<Chunks>(chunks, band, &start, sums);
        store_tensor_sums(args, warp.target(args, origin), warp.lane, args.gain, sums);
    });
}

// Chunks of the row factors' band: 2 to 5.
template <int Chunks>
__global__ void __launch_bounds__(kMaxTensorThreads, Chunks > 2 ? 2 : 3)
    tensor_separable(const __grid_constant__ TensorArgs args) {
    filter_separable<Chunks>(args, tensor_thread());
}

}  // namespace weft
