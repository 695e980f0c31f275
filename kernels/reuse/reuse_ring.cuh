// column_row_reuse for fp32 images and square odd taps from 7×7 to 15×15, centred, one set: a block
// walks down a strip with its rows fetched ahead.
//
// Idea: a 4K fp32 image takes longer to move than small taps to compute, so copies must never stop.
// A block owns a strip of 128 columns and a ring of three chunks of rows in shared memory
// (row_ring.cuh). A chunk has the rows by which the block goes down in a step, R per warp. Chunks
// end where the rows of a step end, so that a step waits for one chunk only, of which it needs all
// rows; asynchronous copies fill the next one meanwhile:
//
//     chunk s        its last K - 1 rows    the step's first; of chunk 0, only they are fetched
//     chunk s + 1    all rows               arrived since the previous step
//     chunk s + 2    on its way             each warp fetches its own rows
//
// When chunks began where a step's rows begin, a step waited for a whole chunk and needed K - 1
// rows of it: on an H100 at 3840×2160, 9×9 took 36.2 µs instead of 35.3 in the same blocks.
//
// A warp computes R rows of four outputs per lane. A row's samples and its neighbours' are read
// once as vectors, for all R rows; a tap is a uniform operand, loaded from the kernel's arguments.
// Source: Lu, Zhang, Wang, CLUSTER 2020 (rows of a strip are loaded once); the ring and register
// blocking ours.
// Launch: block 32 × kWarps, grid of strips of tiles in one dimension; shared memory kVectors
// vectors
// Cost per row of 4 outputs per lane: one or two 16-byte copies, (R + K - 1) / R times
// 2 ⌈radius / 4⌉ + 1 loads from shared memory, 4 K² multiplications; K - 1 rows per strip are
// fetched twice.
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/common/launch_bounds.cuh"
#include "kernels/common/row_feed.cuh"
#include "kernels/reuse/row_ring.cuh"
#include "kernels/reuse/tap_row.cuh"

namespace weft {

// K taps per side; blocks of `Warps` warps with R output rows each per step; Blocks per
// multiprocessor that run at once.
template <int K, int Warps, int R, int Blocks>
struct Ring {
    static constexpr int kChannels = 1, kSize = K, kRadius = K / 2, kBlocks = Blocks;
    static constexpr int kWarps = Warps, kRows = R, kChunkRows = Warps * R;
    static constexpr int kChunks = 3;
    static constexpr int kBlock = 4;                  // samples per lane
    static constexpr int kTileSamples = 32 * kBlock;  // per row
    static constexpr int kHalo = (kRadius + 3) / 4;   // vectors per side
    static constexpr int kWindow = kBlock + 2 * kRadius;
    static constexpr int kRowVectors = 32 + 2 * kHalo;
    static constexpr int kChunkVectors = kChunkRows * kRowVectors;
    static constexpr int kVectors = kChunks * kChunkVectors;
    static constexpr int kFirstRow = kChunkRows - (K - 1);  // in chunk 0, of a strip's first step
    static_assert(K % 2 == 1 && K <= RingArgs::kMaxSize && kFirstRow >= 0);
};

// A place in the ring, as its number of vectors, that may be beyond the end by less than a ring.
template <class S>
__device__ __forceinline__ int wrapped(int place) {
    return place < S::kVectors ? place : place - S::kVectors;
}

// The warp's outputs of a step, from image row y on; `slot`: the place of the first row that they
// need, which may be beyond the end by less than a ring.
template <class S>
__device__ __forceinline__ void compute_ring_rows(const RingArgs& args, const RowRing<S>& ring,
                                                  int slot, int y, int first) {
    float sums[S::kRows][S::kBlock];
    int begin = 0;  // the row at `place`
    int place = 0;
#pragma unroll
    for (int i = 0; i < S::kRows + S::kSize - 1; ++i) {
        // The ring ends at a multiple of kRows: the rows until the next one follow in memory.
        if (i == 0 || (S::kFirstRow + i) % S::kRows == 0) {
            begin = i;
            place = wrapped<S>(slot + i * S::kRowVectors);
        }
        float window[S::kWindow];
        ring.window(place + (i - begin) * S::kRowVectors, window);
#pragma unroll
        for (int o = 0; o < S::kRows; ++o)
            if (o <= i && i < o + S::kSize) add_tap_row<S>(args.taps, i - o, window, sums[o]);
    }
#pragma unroll
    for (int o = 0; o < S::kRows; ++o)
        store_block<F32, 1, S::kBlock>(args.images, args.dst_aligned, y + o, first, sums[o]);
}

template <class S>
__global__ void __launch_bounds__(32 * S::kWarps, blocks_that_fit(S::kBlocks, 32 * S::kWarps))
    reuse_ring(const __grid_constant__ RingArgs args) {
    const int lane = static_cast<int>(threadIdx.x);
    // The shuffle shows the compiler that rows are the same in a warp.
    const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.y), 0);
    const int strip = static_cast<int>(blockIdx.x) / args.tiles_x;
    const int tile = static_cast<int>(blockIdx.x) % args.tiles_x;
    const int steps = args.strip_steps + (strip < args.tall_strips ? 1 : 0);
    const int first_step = strip * args.strip_steps + min(strip, args.tall_strips);
    const int y = first_step * S::kChunkRows + warp * S::kRows;
    const RowRing<S> ring(args, lane, warp, tile, ring_rows);
    int free_slot = warp * S::kRows * S::kRowVectors;
    int slot = free_slot + S::kFirstRow * S::kRowVectors;
    // In chunk 0, only the warps that have its last K - 1 rows fetch.
    const auto fetch = [&](int chunk) {
        if (chunk <= steps && (chunk > 0 || (warp + 1) * S::kRows > S::kFirstRow))
            ring.fetch(y - S::kRadius - S::kFirstRow + chunk * S::kChunkRows, free_slot);
        close_copies();
        free_slot = wrapped<S>(free_slot + S::kChunkVectors);
    };
    wait_for_predecessors();
    fetch(0);
    fetch(1);
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        wait_copies_before<0>();
        __syncthreads();  // the step's rows have arrived, and the chunk before them is free
        fetch(step + 2);
        compute_ring_rows<S>(args, ring, slot, y + step * S::kChunkRows,
                             tile * S::kTileSamples + S::kBlock * lane);
        slot = wrapped<S>(slot + S::kChunkVectors);
    }
    let_successor_start();
}

}  // namespace weft
