// column_row_reuse for fp32 images and square odd taps from 7×7 to 15×15, centred, one set: a block
// walks down a strip with its rows fetched ahead.
//
// Idea: a 4K fp32 image takes longer to move than small taps to compute, so copies must never stop.
// A block owns a strip of 128 columns and a ring of three chunks of rows in shared memory
// (row_ring.cuh). A chunk has a few rows per warp. While the block computes one, whose lowest
// outputs need the next one as well, asynchronous copies fill the third:
//
//     chunk s        rows y - radius …            read by all warps
//     chunk s + 1    the K - 1 rows after it      read by the last warps
//     chunk s + 2    on its way                   each warp fetches its own rows
//
// A warp computes R rows of four outputs per lane. A row's samples and its neighbours' are read
// once as vectors, for all R rows; a tap is a uniform operand, loaded from the kernel's arguments.
// Source: Lu, Zhang, Wang, CLUSTER 2020 (rows of a strip are loaded once); the ring and register
// blocking ours.
// Launch: block 32 × kRingWarps, grid of strips of tiles in one dimension; shared memory kVectors
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

// K taps per side, R output rows per warp and step; Blocks per multiprocessor.
template <int K, int R, int Blocks>
struct Ring {
    static constexpr int kChannels = 1, kSize = K, kRadius = K / 2, kRows = R, kBlocks = Blocks;
    static constexpr int kChunks = 3;
    static constexpr int kChunkRows = kRingWarps * R;
    static constexpr int kBlock = 4;                  // samples per lane
    static constexpr int kTileSamples = 32 * kBlock;  // per row
    static constexpr int kHalo = (kRadius + 3) / 4;   // vectors per side
    static constexpr int kWindow = kBlock + 2 * kRadius;
    static constexpr int kRowVectors = 32 + 2 * kHalo;
    static constexpr int kChunkVectors = kChunkRows * kRowVectors;
    static constexpr int kVectors = kChunks * kChunkVectors;
    static_assert(K % 2 == 1 && K <= RingArgs::kMaxSize && kChunkRows >= K - 1);
};

// A place in the ring, as its number of vectors, that may be beyond the end by less than a ring.
template <class S>
__device__ __forceinline__ int wrapped(int place) {
    return place < S::kVectors ? place : place - S::kVectors;
}

// The warp's outputs of a chunk, from image row y on; `slot`: the place of the first row that they
// need.
template <class S>
__device__ __forceinline__ void compute_ring_rows(const RingArgs& args, const RowRing<S>& ring,
                                                  int slot, int y, int first) {
    float sums[S::kRows][S::kBlock];
#pragma unroll
    for (int i = 0; i < S::kRows + S::kSize - 1; ++i) {
        float window[S::kWindow];
        ring.window(wrapped<S>(slot + i * S::kRowVectors), window);
#pragma unroll
        for (int o = 0; o < S::kRows; ++o)
            if (o <= i && i < o + S::kSize) add_tap_row<S>(args.taps, i - o, window, sums[o]);
    }
#pragma unroll
    for (int o = 0; o < S::kRows; ++o)
        store_block<F32, 1, S::kBlock>(args.images, args.dst_aligned, y + o, first, sums[o]);
}

template <class S>
__global__ void __launch_bounds__(32 * kRingWarps, blocks_that_fit(S::kBlocks, 32 * kRingWarps))
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
    int slot = warp * S::kRows * S::kRowVectors;
    int free_slot = slot;
    // The strip's last rows need K - 1 rows of one chunk more.
    const auto fetch = [&](int chunk) {
        if (chunk < steps || (chunk == steps && warp * S::kRows < S::kSize - 1))
            ring.fetch(y - S::kRadius + chunk * S::kChunkRows, free_slot);
        close_copies();
        free_slot = wrapped<S>(free_slot + S::kChunkVectors);
    };
    wait_for_predecessors();
    fetch(0);
    fetch(1);
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        wait_copies_before<0>();
        __syncthreads();  // both chunks have arrived, and the previous one is free
        fetch(step + 2);
        compute_ring_rows<S>(args, ring, slot, y + step * S::kChunkRows,
                             tile * S::kTileSamples + S::kBlock * lane);
        slot = wrapped<S>(slot + S::kChunkVectors);
    }
    let_successor_start();
}

}  // namespace weft
