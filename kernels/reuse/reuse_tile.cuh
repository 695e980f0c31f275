// column_row_reuse for small dense taps of fp32 images, one set of taps: up to 5×5 in one channel,
// which take longer to move than to compute, and up to 9×9 in two to four.
//
// Idea: the number of bytes in flight decides. A thread computes V samples of R rows, and all loads
// of its R + K - 1 rows are independent: nothing waits for a row that another warp fetches, and no
// strip has a beginning. A row is its own V samples and K / 2 pixels on each side, which come as
// vectors from the L1 cache, where the neighbouring threads' own samples are. Every loop is
// unrolled, and a tap is a uniform operand in constant memory:
//
//     row 0   x0                        sums[0] = w0 x0           w_j x: tap row j, all columns
//     row 1   x1                        sums[0] += w1 x1, sums[1] = w0 x1
//     row 2   x2                        sums[0] += w2 x2, sums[1] += w1 x2, sums[2] = w0 x2
//     …
//
// Threads whose rows or columns reach beyond the image, or all of them if its rows are not aligned,
// look every sample up. The tiles at the bottom come first, since they take longer and would end
// alone.
// Source: Lu, Zhang, Wang, CLUSTER 2020 (rows); the register blocking is that of Halide's best
// schedules for these filters
// Launch: block 32 × kReuseWarps, a warp per tile of 32 V samples and R rows, four below one
// another
// Cost per V outputs: (R + K - 1) / R of [one vector load and two for the halo], K² V
// multiplications
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/common/launch_bounds.cuh"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/reuse/row_window.cuh"
#include "kernels/reuse/tap_row.cuh"

namespace weft {

// K taps per side; V samples of R rows per thread; Blocks per multiprocessor.
template <class P, int C, int K, int V, int R, int Blocks>
struct Tile : RowShape<P, C, K, V> {
    static constexpr int kRows = R, kBlocks = Blocks;
    static_assert(K <= TileArgs::kMaxSize);
};

// The thread's R rows from row y on. `window_of(y, window)`: the samples of an input row.
template <class S, class WindowOf>
__device__ __forceinline__ void compute_tile(const TileArgs& args, const WindowOf& window_of,
                                             int first, int y) {
    float sums[S::kRows][S::kBlock];
#pragma unroll
    for (int i = 0; i < S::kRows + S::kSize - 1; ++i) {
        float window[S::kWindow];
        window_of(y - S::kRadius + i, window);
#pragma unroll
        for (int o = 0; o < S::kRows; ++o)
            if (o <= i && i < o + S::kSize) add_tap_row<S>(args.taps, i - o, window, sums[o]);
    }
#pragma unroll
    for (int o = 0; o < S::kRows; ++o)
        store_block<typename S::Pixel, S::kChannels, S::kBlock>(args.images, args.dst_aligned,
                                                                y + o, first, sums[o]);
}

template <class S>
__device__ __forceinline__ void compute_inner_tile(const TileArgs& args, int first, int y) {
    const InnerRows<S, false> rows(args.images, args.row_sources, first);
    compute_tile<S>(
        args, [&](int row, float(&window)[S::kWindow]) { rows.convert(rows.load(row), window); },
        first, y);
}

template <class S>
__device__ __forceinline__ void compute_end_tile(const TileArgs& args, int first, int y) {
    const EndRows<S> rows(args.images, args.column_sources, args.row_sources, first);
    compute_tile<S>(
        args, [&](int row, float(&window)[S::kWindow]) { rows.window(row, window); }, first, y);
}

template <class S>
__global__ void __launch_bounds__(32 * kReuseWarps, blocks_that_fit(S::kBlocks, 32 * kReuseWarps))
    reuse_tile(const __grid_constant__ TileArgs args) {
    const int tile_x = static_cast<int>(blockIdx.x) % args.tiles_x;
    const int from_bottom = static_cast<int>(blockIdx.x) / args.tiles_x;
    const int tile_y = from_bottom == 0 ? args.tiles_y - 1 : from_bottom - 1;
    const int first = (tile_x * 32 + static_cast<int>(threadIdx.x)) * S::kBlock;
    const int y0 = (tile_y * kReuseWarps + static_cast<int>(threadIdx.y)) * S::kRows;
    const int samples = args.images.x.length * S::kChannels;
    wait_for_predecessors();
    if (first < samples && y0 < args.images.y.length) {
        const bool columns_inside =
            args.src_aligned && first - S::kReach >= 0 && first + S::kBlock + S::kReach <= samples;
        const bool rows_inside =
            y0 - S::kRadius >= 0 && y0 + S::kRows + S::kRadius <= args.images.y.length;
        if (columns_inside && rows_inside)
            compute_inner_tile<S>(args, first, y0);
        else
            compute_end_tile<S>(args, first, y0);
    }
    let_successor_start();
}

}  // namespace weft
