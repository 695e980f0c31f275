// The row tensor_separable: a column pass and a row pass on tensor cores in one launch.
//
// Idea: 16 output rows of eight samples are first a banded matrix of the column factors times the
// 16 + H - 1 image rows above each other; the accumulator, rounded to half precision, then is a
// chunk of the left matrix of the row pass, in the very registers that it came in:
//
//     image rows (k) × 8 samples        accumulator 16 × 8          chunk of A, 16 × 8
//     ldmatrix.trans: matrix B    ->    mma: band · B         ->    mma: chunks · band  -> 16 × 8
//
// Nothing is written between the passes. The cost grows with K / 16, so up to 33 taps a side the
// kernel is bound by memory and by the filling of the tile.
//
// Arithmetic: samples less 128 are exact in half precision, factors and the column pass's result
// are rounded to it, sums are fp32: a sum errs by at most 128 Σ|r| Σ|c| 3 · 2^-11. Source: banded
// Toeplitz blocks as in tensor_dense.cuh; the accumulator as operand of the next product as in
// FlashAttention-2; the combination ours. Launch: as tensor_dense Cost per 128 outputs: (1 + ⌈(K -
// 1) / 8⌉ / 8) ⌈(H + 15) / 8⌉ / 2 + ⌈(K + 7) / 8⌉ / 2 mma.m16n8k16 (K = H = 15: 4.0)
#pragma once

#include "kernels/tensor_band.cuh"
#include "kernels/tensor_tile.cuh"

namespace weft {

// Chunks k and k + 1 of the column factors' band, 16 output rows × 8 image rows each.
struct ColumnFragments {
    __device__ __forceinline__ ColumnFragments(const TensorArgs& args, int k, int lane)
        : above{args.columns[2 * k * 32 + lane], args.columns[(2 * k + 1) * 32 + lane]},
          below{args.columns[(2 * k + 2) * 32 + lane], args.columns[(2 * k + 3) * 32 + lane]} {}
    ChunkFragment above;
    ChunkFragment below;
};

// The column pass of `2 Pairs` chunks of eight samples. `band` is the first of the column factors.
template <int Pairs>
__device__ __forceinline__ void sum_columns(const TensorArgs& args, const TensorWarp& warp,
                                            ColumnFragments band, float (&sums)[2 * Pairs][4]) {
#pragma unroll
    for (int m = 0; m < 2 * Pairs; ++m) {
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[m][v] = 0.0F;
    }
    const SegmentWords* rows = warp.chunks;
    ChunkFragment first{};
    ChunkFragment second{};
    int k = 0;
#pragma unroll 1
    for (; k + 1 < args.column_chunks; k += 2, rows += 16 * args.tile.pitch) {
#pragma unroll
        for (int p = 0; p < Pairs; ++p) {
            load_columns(rows + 2 * p, first, second);
            multiply_chunks(sums[2 * p], band.above, band.below, first.low, first.high);
            multiply_chunks(sums[2 * p + 1], band.above, band.below, second.low, second.high);
        }
        band = ColumnFragments(args, k + 2, warp.lane);
    }
    if (k == args.column_chunks) return;
    // The last eight rows: the lanes of the eight below, which may not exist, read these again.
    rows -= warp.lane / 8 % 2 * 8 * args.tile.pitch;
#pragma unroll
    for (int p = 0; p < Pairs; ++p) {
        load_columns(rows + 2 * p, first, second);
        multiply_chunk(sums[2 * p], band.above, first.low);
        multiply_chunk(sums[2 * p + 1], band.above, second.low);
    }
}

template <int Chunks>
__device__ __forceinline__ void filter_separable_tile(const TensorArgs& args,
                                                      const TensorOrigin& origin, int thread,
                                                      SegmentWords* tile) {
    constexpr int kPairs = kChunkPairs<Chunks>;
    const TensorWarp warp(args, thread, tile);
    fill_tile(args, origin, thread, tile);
    const ColumnFragments first_column(args, 0, warp.lane);
    const BandFragments<Chunks> band(args.bands, warp.lane);
    __syncthreads();
    ChunkFragment chunks[2 * kPairs];
    {
        float columns[2 * kPairs][4];
        sum_columns<kPairs>(args, warp, first_column, columns);
#pragma unroll
        for (int m = 0; m < 2 * kPairs; ++m) chunks[m] = rounded_chunk(columns[m]);
    }
    TensorSums sums;
    start_sums(args, 0, warp.lane, sums);
    multiply_band<Chunks>(chunks, band, sums);
    store_tensor_sums(args, origin.y + warp.row, origin.sample + warp.sample, warp.lane, args.gain,
                      sums);
}

// Chunks: of the row factors' band, 2 to 5.
template <int Chunks>
__global__ void __launch_bounds__(kTensorThreads, Chunks > 2 ? 2 : 3)
    tensor_separable(const __grid_constant__ TensorArgs args) {
    filter_separable_tile<Chunks>(args, tensor_origin(), tensor_thread(), tensor_tile);
}

}  // namespace weft
