// column_row_reuse for small odd taps (3×3 to 9×9): every loop over taps is unrolled.
//
// Idea: a warp walks down a strip of rows. Each input row is loaded once (row_window.cuh) and
// multiplied with every tap row that needs it: K outputs are in progress at a time, one accumulator
// row each. The accumulators roll: the first multiplication of a row reads accumulator k + 1 and
// writes accumulator k, so the shift costs no instruction.
//
//     input row        i-2     i-1      i            K = 3; the tap row that meets the input row
//     output i-2       0       1        2  -> done   accumulator 0
//     output i-1               0        1            accumulator 1
//     output i                          0            accumulator 2
//
// A row's loads start before the multiplications of the row before. All strips run at once, so that
// some warps compute while others wait; the number of multiplications is exact, since the first and
// last K - 1 rows of a strip have code of their own. The taps are kernel arguments: each is an
// operand in constant memory, without a load. Columns whose samples are beyond the image have
// blocks of their own, with a thread per row: in the walking warps, all others would wait for them.
// Source: Lu, Zhang, Wang, CLUSTER 2020 (rows); register blocking ours
// Launch: block 32 × kReuseWarps, one warp per strip; grid: the blocks of the ends, then tiles_x *
// strips, x fastest; no shared memory
// Cost per V outputs and channel: (strip + K - 1) / strip of [one vector load and two for the halo,
// V + (K - 1) C conversions] and exactly K² V multiplications
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/common/launch_bounds.cuh"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/reuse/row_window.cuh"
#include "kernels/reuse/tap_row.cuh"

namespace weft {

template <class P, int C, int K, int Sets, int V>
struct Rolling : RowShape<P, C, K, V> {
    using Base = RowShape<P, C, K, V>;
    static constexpr int kSets = Sets;
    // Blocks of 128 threads that the registers of a multiprocessor hold: sums, a row in flight,
    // window and some 18 for addresses, without spills.
    static constexpr int kRegisters =
        Sets * K * V + Base::kWords + 2 * Base::kHaloWords + Base::kWindow + 18;
    static constexpr int kBlocks = 512 / kRegisters < 8 ? 512 / kRegisters : 8;
    // The first and last rows of a strip: unrolled, or with a branch for each tap row.
    static constexpr int kUnrolledEnds = K <= 5 ? K - 1 : 1;
    static_assert(Sets * C * K * K <= RollingArgs::kMaxTaps && K <= RollingArgs::kMaxSize);
};

template <class S>
using RollingSums = float[S::kSets][S::kSize][S::kBlock];

// Row `tap_row` of every tap set times the window, into the accumulator that the row is for.
template <class S>
__device__ __forceinline__ void multiply_row(const RollingArgs& args, int tap_row,
                                             const float (&window)[S::kWindow],
                                             RollingSums<S>& sums) {
    const int k = S::kSize - 1 - tap_row;
#pragma unroll
    for (int set = 0; set < S::kSets; ++set) {
#pragma unroll
        for (int t = 0; t < S::kSize; ++t) {
#pragma unroll
            for (int v = 0; v < S::kBlock; ++v) {
                const int plane = (set * S::kChannels + v % S::kChannels) * S::kSize + tap_row;
                const float tap = args.taps[plane * S::kSize + t];
                const float x = window[v + t * S::kChannels];
                if (t > 0) {
                    sums[set][k][v] = __fmaf_rn(tap, x, sums[set][k][v]);
                } else if (tap_row > 0) {
                    sums[set][k][v] = __fmaf_rn(tap, x, sums[set][k + 1][v]);
                } else {
                    sums[set][k][v] = __fmul_rn(tap, x);
                }
            }
        }
    }
}

template <class S>
__device__ __forceinline__ void store_sums(const RollingArgs& args, int y, int first,
                                           const RollingSums<S>& sums) {
    float combined[S::kBlock];
#pragma unroll
    for (int v = 0; v < S::kBlock; ++v)
        combined[v] =
            S::kSets == 1 ? sums[0][0][v] : magnitude_of(sums[0][0][v], sums[S::kSets - 1][0][v]);
    store_block<typename S::Pixel, S::kChannels, S::kBlock>(args.images, args.dst_aligned, y, first,
                                                            combined);
}

// The thread's outputs of a strip from row y on; those below the image are dropped. Its columns are
// inside the image.
template <class S, bool kMappedRows>
__device__ __forceinline__ void walk_down(const RollingArgs& args, int first, int y) {
    constexpr int kEnd = S::kSize - 1;
    using Rows = InnerRows<S, kMappedRows>;
    const Rows rows(args.images, args.row_sources, first);
    RollingSums<S> sums;
    typename Rows::Row next = rows.load(y - S::kRadius);
    // Input row i of the strip, times the tap rows from `least` to `most`.
    const auto consume = [&](int i, int least, int most) {
        float window[S::kWindow];
        rows.convert(next, window);
        next = rows.load(y - S::kRadius + i + 1);
#pragma unroll
        for (int tap_row = kEnd; tap_row >= 0; --tap_row)
            if (tap_row >= least && tap_row <= most) multiply_row<S>(args, tap_row, window, sums);
    };
#pragma unroll(S::kUnrolledEnds)
    for (int i = 0; i < kEnd; ++i) consume(i, 0, i);
#pragma unroll 1
    for (int i = kEnd; i < args.strip; ++i) {
        consume(i, 0, kEnd);
        store_sums<S>(args, y + i - kEnd, first, sums);
    }
#pragma unroll(S::kUnrolledEnds)
    for (int i = 0; i < kEnd; ++i) {
        consume(args.strip + i, i + 1, kEnd);
        store_sums<S>(args, y + args.strip + i - kEnd, first, sums);
    }
}

// The outputs of a row in columns that reach beyond the image.
template <class S>
__device__ __forceinline__ void compute_ends(const RollingArgs& args, int first, int y) {
    constexpr int kSetTaps = S::kChannels * S::kSize * S::kSize;
    const EndRows<S> rows(args.images, args.column_sources, args.row_sources, first);
    RollingSums<S> sums;
#pragma unroll 1
    for (int j = 0; j < S::kSize; ++j) {
        float window[S::kWindow];
        rows.window(y + j - S::kRadius, window);
#pragma unroll
        for (int set = 0; set < S::kSets; ++set)
            add_tap_row<S>(args.taps + set * kSetTaps, j, window, sums[set][0]);
    }
    store_sums<S>(args, y, first, sums);
}

template <class S>
__global__ void __launch_bounds__(32 * kReuseWarps, blocks_that_fit(S::kBlocks, 32 * kReuseWarps))
    reuse_rolling(const __grid_constant__ RollingArgs args) {
    wait_for_predecessors();
    const int block = static_cast<int>(blockIdx.x) - args.end_blocks;
    if (block < 0) {
        const auto k =
            static_cast<int>((blockIdx.x * kReuseWarps + threadIdx.y) * 32 + threadIdx.x);
        const int end = k % args.end_columns;
        const int column = end < args.inner_begin ? end : end - args.inner_begin + args.inner_end;
        compute_ends<S>(args, column * S::kBlock, k / args.end_columns);
        return;
    }
    // The shuffle shows the compiler that rows are the same in a warp.
    const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.y), 0);
    const int column = block % args.tiles_x * 32 + static_cast<int>(threadIdx.x);
    const int y = (block / args.tiles_x * kReuseWarps + warp) * args.strip;
    if (y >= args.images.y.length || column < args.inner_begin || column >= args.inner_end) return;
    // A row beyond the strip's last is loaded, too.
    const bool rows_inside = y >= S::kRadius && y + args.strip + S::kRadius < args.images.y.length;
    if (rows_inside)
        walk_down<S, false>(args, column * S::kBlock, y);
    else
        walk_down<S, true>(args, column * S::kBlock, y);
    let_successor_start();
}

}  // namespace weft
