// column_row_reuse for small odd taps (3×3 to 9×9): every loop over taps is unrolled.
//
// Idea: a warp walks down a strip of rows. Each input row is loaded once (row_feed.cuh), converted
// to a window of fp32 samples and multiplied with every filter row that needs it: K outputs are in
// progress at a time, one accumulator row each. The accumulators roll: the first multiplication of
// a row reads accumulator k + 1 and writes accumulator k, so the shift costs no instruction.
//
//     input row        i-2     i-1      i            K = 3; the filter row that meets the input row
//     output i-2       0       1        2  -> done   accumulator 0
//     output i-1               0        1            accumulator 1
//     output i                          0            accumulator 2
//
// At the ends of a strip the outputs outside it are skipped by a branch that is the same for the
// whole warp, so the number of multiplications is exact. The taps are kernel arguments: each is an
// operand of its FFMA in constant memory, without a load.
// Source: Lu, Zhang, Wang, CLUSTER 2020 (columns, rows); register blocking and packed shuffles ours
// Launch: block 32 × kReuseWarps, one warp per strip; grid tiles_x * strips, x fastest; no shared
// memory
// Cost per V outputs and channel: (strip + K - 1) / strip of [one vector load, 2 ⌈halo⌉ word
// shuffles, V + (K - 1) C conversions] and exactly K² V multiplications
#pragma once

#include "kernels/common/row_feed.cuh"
#include "kernels/reuse/column_row_reuse.h"

namespace weft {

template <class P, int C, int K, int Sets, int V>
struct Rolling {
    using Pixel = P;
    static constexpr int kChannels = C, kSize = K, kSets = Sets, kBlock = V;
    static constexpr int kRadius = K / 2;
    static constexpr int kHalo = kRadius * C;                // samples per side
    static constexpr int kHaloBlocks = (kHalo + V - 1) / V;  // blocks per side
    // Rows in flight. A row of 7×7 taps takes longer than a load from memory; 3×3 does not.
    static constexpr int kAhead = K <= 3 ? 3 : K <= 5 ? 2 : 1;
    // Blocks of 128 threads that the registers of a multiprocessor hold: sums, rows in flight,
    // window and some 32 for addresses and flags, without spills.
    static constexpr int kRegisters =
        Sets * K * V + kAhead * 2 * V / P::kPerWord + V + 2 * kHalo + 32;
    static constexpr int kBlocks = 512 / kRegisters < 7 ? 512 / kRegisters : 7;
    static_assert(K % 2 == 1 && Sets * C * K * K <= RollingArgs::kMaxTaps);
};

// The lane's window: samples own - halo .. own + V + halo - 1 in fp32.
template <class S, class Feed>
__device__ __forceinline__ void convert_window(const Feed& feed, const typename Feed::Row& row,
                                               float (&window)[S::kBlock + 2 * S::kHalo]) {
    constexpr int kPerWord = S::Pixel::kPerWord;
#pragma unroll
    for (int m = -S::kHaloBlocks; m <= S::kHaloBlocks; ++m) {
#pragma unroll
        for (int j = 0; j < Feed::kWords; ++j) {
            const int first = m * S::kBlock + j * kPerWord;  // sample of the word, relative to own
            if (first + kPerWord <= -S::kHalo || first >= S::kBlock + S::kHalo) continue;
            const std::uint32_t word = m == 0 ? row.own.w[j] : feed.word(row, m, j);
#pragma unroll
            for (int s = 0; s < kPerWord; ++s) {
                const int at = first + s + S::kHalo;
                if (at >= 0 && at < S::kBlock + 2 * S::kHalo)
                    window[at] = S::Pixel::to_float(word, s);
            }
        }
    }
}

template <class S>
using RollingSums = float[S::kSets][S::kSize][S::kBlock];

// Row `kRow` of every tap set times the window, into the accumulator that the row is for.
template <class S>
__device__ __forceinline__ void multiply_row(const RollingArgs& args, int tap_row,
                                             const float (&window)[S::kBlock + 2 * S::kHalo],
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
    store_block<typename S::Pixel, S::kChannels, S::kBlock>(args.base.images, args.base.dst_aligned,
                                                            y, first, combined);
}

// One input row: `i` counts from the first row that the strip needs.
template <class S, class Feed>
__device__ __forceinline__ void consume_row(const RollingArgs& args, const Feed& feed,
                                            const typename Feed::Row& row, int i, int first_y,
                                            RollingSums<S>& sums) {
    float window[S::kBlock + 2 * S::kHalo];
    convert_window<S>(feed, row, window);
    // All but the first and last K - 1 rows of a strip; small taps can afford the code twice.
    const bool whole = S::kSize <= 5 && i >= S::kSize - 1 && i < args.strip;
    if (whole) {
#pragma unroll
        for (int k = 0; k < S::kSize; ++k) multiply_row<S>(args, S::kSize - 1 - k, window, sums);
    } else {
#pragma unroll
        for (int k = 0; k < S::kSize; ++k) {
            const int output = i - (S::kSize - 1) + k;
            if (output >= 0 && output < args.strip)
                multiply_row<S>(args, S::kSize - 1 - k, window, sums);
        }
    }
    if (i >= S::kSize - 1)
        store_sums<S>(args, first_y + i - (S::kSize - 1), feed.own_first(), sums);
}

template <class S>
__global__ void __launch_bounds__(32 * kReuseWarps, S::kBlocks)
    reuse_rolling(const __grid_constant__ RollingArgs args) {
    const int tile = static_cast<int>(blockIdx.x) % args.base.tiles_x;
    const int group = static_cast<int>(blockIdx.x) / args.base.tiles_x;
    // The shuffle shows the compiler that rows are the same in a warp.
    const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.y), 0);
    const int first_y = (group * kReuseWarps + warp) * args.strip;
    if (first_y >= args.base.images.y.length) return;  // the whole warp
    const FeedArgs feed_args{args.base.images, S::kRadius,     S::kRadius,
                             S::kHaloBlocks,   S::kHaloBlocks, args.base.src_aligned};
    using Feed = RowFeed<typename S::Pixel, S::kChannels, S::kBlock>;
    const Feed feed(feed_args, static_cast<int>(threadIdx.x), tile);

    RollingSums<S> sums;
    typename Feed::Row ahead[S::kAhead];
    const int rows = args.strip + S::kSize - 1;
    // Rows below 0 only start the loads, so that the loading code exists once.
    for (int base = -S::kAhead; base < rows; base += S::kAhead) {
#pragma unroll
        for (int d = 0; d < S::kAhead; ++d) {
            const int i = base + d;
            const typename Feed::Row row = ahead[d];
            if (i + S::kAhead < rows) ahead[d] = feed.load(first_y - S::kRadius + i + S::kAhead);
            if (i >= 0 && i < rows) consume_row<S>(args, feed, row, i, first_y, sums);
        }
    }
}

}  // namespace weft
