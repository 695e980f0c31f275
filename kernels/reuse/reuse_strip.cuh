// column_row_reuse for any taps from 1×1 to 63×63, any anchor and number of tap sets: loops over
// taps run at run time, so that large taps do not overflow the instruction cache.
//
// Idea: a warp owns a strip of T output rows, all T * V sums in registers. It walks over the input
// rows of the strip; each is loaded once (row_feed.cuh) and multiplied with filter row i - o for
// every output row o that needs it. Along a row the lane slides a window of two blocks over the
// taps, one block of V / C taps at a time; the next block comes by shuffles. Taps are in shared
// memory, four to a load, the same for all lanes: one load per 4 V multiplications.
//
// Taps of a row are numbered in pixels from the start of the window's first block (tap_begin ..
// tap_end - 1), so blocks and vector loads stay aligned for every anchor. Padding zeros are never
// multiplied: infinities in fp32 images stay where the true taps put them.
// Several tap sets: the strip is walked once per set and the sums are combined in registers.
// Source: Lu, Zhang, Wang, CLUSTER 2020 (columns, rows); register blocking and packed shuffles ours
// Launch: block 32 × kReuseWarps, one warp per strip; grid tiles_x * strips, x fastest; shared
// memory of
//   planes * height * tap_stride floats (63×63 with taps for each of 4 channels: 67 KiB)
// Cost per T V outputs and set: T + height - 1 rows of [two vector loads, blocks * words shuffles],
// exactly T V width height multiplications
#pragma once

#include "kernels/common/row_feed.cuh"
#include "kernels/reuse/column_row_reuse.h"

namespace weft {

extern __shared__ float strip_taps[];

template <class P, int C, int V, int T, bool SeveralSets>
struct Strip {
    using Pixel = P;
    static constexpr int kChannels = C, kBlock = V, kRows = T;
    static constexpr bool kSeveralSets = SeveralSets;
    static constexpr int kBlockPx = V / C;  // taps per block
    // A row of taps begins up to kBlockPx - 1 into its block and is read four at a time.
    static constexpr int kTapStride = (63 + kBlockPx - 1 + 3) / 4 * 4;
    // Blocks that a multiprocessor must hold: what the registers are for.
    static constexpr int kSums = V * T * (SeveralSets ? 2 : 1);
    static constexpr int kMinBlocks = V / P::kPerWord >= 12 ? (kSums <= 36 ? 3 : 2)
                                      : kSums >= 48         ? 3
                                      : kSums > 16          ? 4
                                                            : 6;
    // Blocks that it does hold, which may be one more because integers take fewer registers.
    static constexpr int kResident = V < 16 && V / P::kPerWord <= 4 ? kMinBlocks + 1 : kMinBlocks;
    static_assert(kBlockPx % 4 == 0, "taps are read four at a time");
};

template <class S>
using StripSums = float[S::kRows][S::kBlock];

// Taps k .. k + 3 of all filter rows that meet input row i, times the window from tap `Chunk` on.
// Whole: all four are taps; otherwise those outside tap_begin .. tap_end - 1 are skipped.
template <class S, bool Whole>
__device__ __forceinline__ void multiply_chunk(const StripArgs& args, int i, int k, int chunk,
                                               const float (&window)[2 * S::kBlock],
                                               StripSums<S>& sums) {
    const int plane = args.planes > 1 ? args.height * S::kTapStride : 0;
#pragma unroll
    for (int o = 0; o < S::kRows; ++o) {
        if (static_cast<unsigned>(i - o) >= static_cast<unsigned>(args.height)) continue;
        const float* const row = strip_taps + (i - o) * S::kTapStride + k;
        Floats<4> taps = *reinterpret_cast<const Floats<4>*>(row);
#pragma unroll
        for (int c = 0; c < S::kChannels; ++c) {
            if (c > 0 && plane > 0) taps = *reinterpret_cast<const Floats<4>*>(row + c * plane);
#pragma unroll
            for (int t = 0; t < 4; ++t) {
                if (!Whole && (k + t < args.tap_begin || k + t >= args.tap_end)) continue;
#pragma unroll
                for (int p = 0; p < S::kBlockPx; ++p) {
                    const int v = p * S::kChannels + c;
                    sums[o][v] =
                        __fmaf_rn(taps.v[t], window[v + (chunk + t) * S::kChannels], sums[o][v]);
                }
            }
        }
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): `out` is written where S is known.
template <class S, class Feed>
__device__ __forceinline__ void convert_block(const Feed& feed, const typename Feed::Row& row,
                                              int block, float* out) {
#pragma unroll
    for (int j = 0; j < Feed::kWords; ++j) {
        const std::uint32_t word = feed.word(row, block, j);
#pragma unroll
        for (int s = 0; s < S::Pixel::kPerWord; ++s)
            out[j * S::Pixel::kPerWord + s] = S::Pixel::to_float(word, s);
    }
}

// One input row times every tap that it meets; i counts from the first row that the strip needs.
template <class S, class Feed>
__device__ __forceinline__ void consume_strip_row(const StripArgs& args, const Feed& feed,
                                                  const typename Feed::Row& row, int i,
                                                  StripSums<S>& sums) {
    float window[2 * S::kBlock];
    convert_block<S>(feed, row, args.first_block, window);
#pragma unroll 1
    for (int b = 0; b < args.tap_blocks; ++b) {
        convert_block<S>(feed, row, args.first_block + b + 1, window + S::kBlock);
#pragma unroll
        for (int chunk = 0; chunk < S::kBlockPx; chunk += 4) {
            const int k = b * S::kBlockPx + chunk;
            if (k + 4 <= args.tap_begin || k >= args.tap_end) continue;
            if (k >= args.tap_begin && k + 4 <= args.tap_end) {
                multiply_chunk<S, true>(args, i, k, chunk, window, sums);
            } else {
                multiply_chunk<S, false>(args, i, k, chunk, window, sums);
            }
        }
#pragma unroll
        for (int v = 0; v < S::kBlock; ++v) window[v] = window[v + S::kBlock];
    }
}

// All threads of the block copy the taps of one set to shared memory.
template <class S>
__device__ __forceinline__ void stage_taps(const StripArgs& args, int set) {
    const int count = args.planes * args.height * S::kTapStride;
    const float* const from = args.taps + static_cast<long long>(set) * count;
    __syncthreads();  // all threads are done with the previous set
    const int thread = static_cast<int>(threadIdx.y) * 32 + static_cast<int>(threadIdx.x);
    for (int k = thread; k < count; k += 32 * kReuseWarps) strip_taps[k] = from[k];
    __syncthreads();
}

template <class S, class Feed>
__device__ __forceinline__ void sum_strip(const StripArgs& args, const Feed& feed, int first_y,
                                          StripSums<S>& sums) {
#pragma unroll
    for (int o = 0; o < S::kRows; ++o) {
#pragma unroll
        for (int v = 0; v < S::kBlock; ++v) sums[o][v] = 0.0F;
    }
    const int rows = S::kRows + args.height - 1;
    typename Feed::Row next = feed.load(first_y - args.anchor_y);
#pragma unroll 1
    for (int i = 0; i < rows; ++i) {
        const typename Feed::Row row = next;
        if (i + 1 < rows) next = feed.load(first_y - args.anchor_y + i + 1);
        consume_strip_row<S>(args, feed, row, i, sums);
    }
}

// Folds the sums of set `set` into `result`.
template <class S>
__device__ __forceinline__ void combine_sets(const StripArgs& args, int set,
                                             const StripSums<S>& sums, StripSums<S>& result) {
#pragma unroll
    for (int o = 0; o < S::kRows; ++o) {
#pragma unroll
        for (int v = 0; v < S::kBlock; ++v) {
            float& a = result[o][v];
            const float b = sums[o][v];
            a = set == 0 ? b : args.magnitude ? magnitude_of(a, b) : larger(a, b);
        }
    }
}

template <class S>
__global__ void __launch_bounds__(32 * kReuseWarps, S::kMinBlocks)
    reuse_strip(const __grid_constant__ StripArgs args) {
    const int tile = static_cast<int>(blockIdx.x) % args.base.tiles_x;
    const int group = static_cast<int>(blockIdx.x) / args.base.tiles_x;
    // The shuffle shows the compiler that rows are the same in a warp.
    const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.y), 0);
    const int first_y = (group * kReuseWarps + warp) * S::kRows;
    const bool active = first_y < args.base.images.y.length;
    const FeedArgs feed_args{args.base.images,
                             args.left_px,
                             args.right_px,
                             -args.first_block,
                             max(args.first_block + args.tap_blocks, 0),
                             args.base.src_aligned};
    using Feed = RowFeed<typename S::Pixel, S::kChannels, S::kBlock>;
    const Feed feed(feed_args, static_cast<int>(threadIdx.x), tile);

    StripSums<S> sums;
    StripSums<S> result;
    const int sets = S::kSeveralSets ? args.sets : 1;
#pragma unroll 1
    for (int set = 0; set < sets; ++set) {
        stage_taps<S>(args, set);
        if (!active) continue;  // a warp below the image still meets the others at the barriers
        sum_strip<S>(args, feed, first_y, sums);
        if (S::kSeveralSets) combine_sets<S>(args, set, sums, result);
    }
    if (!active) return;
#pragma unroll
    for (int o = 0; o < S::kRows; ++o)
        store_block<typename S::Pixel, S::kChannels, S::kBlock>(
            args.base.images, args.base.dst_aligned, first_y + o, feed.own_first(),
            S::kSeveralSets ? result[o] : sums[o]);
}

}  // namespace weft
