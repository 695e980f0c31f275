// column_row_reuse for small dense taps of images that take longer to move than to compute: fp32 of
// one and four channels and 16-bit gray, one set of taps.
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
#include "kernels/common/row_feed.cuh"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/reuse/tap_row.cuh"

namespace weft {

// K taps per side; V samples of R rows per thread; Blocks per multiprocessor.
template <class P, int C, int K, int V, int R, int Blocks>
struct Tile {
    using Pixel = P;
    static constexpr int kChannels = C, kSize = K, kBlock = V, kRows = R, kBlocks = Blocks;
    static constexpr int kRadius = K / 2;
    static constexpr int kHalo = kRadius * C;  // samples per side
    static constexpr int kWindow = V + 2 * kHalo;
    static constexpr int kWindowPixels = kWindow / C;
    static constexpr int kWords = V / P::kPerWord;
    // The halo's words per side, as many as whole vectors hold.
    static constexpr int kNeededWords = (kHalo + P::kPerWord - 1) / P::kPerWord;
    static constexpr int kHaloWords = kNeededWords <= 2 ? kNeededWords : (kNeededWords + 3) / 4 * 4;
    static constexpr int kReach = kHaloWords * P::kPerWord;  // samples per side
    static_assert(K % 2 == 1 && K <= TileArgs::kMaxSize && V % C == 0 && kWords % 4 == 0);
};

// N words from an address that is a multiple of 16, 8 or 4 bytes as N is of 4, 2 or 1.
template <int N>
__device__ __forceinline__ void load_words(const std::byte* from, std::uint32_t (&words)[N]) {
    constexpr int kVector = N % 4 == 0 ? 4 : N;
#pragma unroll
    for (int k = 0; k < N; k += kVector) {
        const auto vector = *reinterpret_cast<const Words<kVector>*>(from + 4 * k);
#pragma unroll
        for (int j = 0; j < kVector; ++j) words[k + j] = vector.w[j];
    }
}

// The samples from kHalo before `own`, the thread's first in its row, to kHalo after its last.
template <class S>
__device__ __forceinline__ void load_window(const std::byte* own, float (&window)[S::kWindow]) {
    using P = typename S::Pixel;
    std::uint32_t left[S::kHaloWords];
    std::uint32_t middle[S::kWords];
    std::uint32_t right[S::kHaloWords];
    load_words(own - 4 * S::kHaloWords, left);
    load_words(own, middle);
    load_words(own + 4 * S::kWords, right);
#pragma unroll
    for (int k = 0; k < S::kWindow; ++k) {
        const int at = k - S::kHalo;  // relative to the thread's first sample
        const int word = at < 0           ? (at + S::kReach) / P::kPerWord
                         : at < S::kBlock ? at / P::kPerWord
                                          : (at - S::kBlock) / P::kPerWord;
        const int part = (at + S::kReach) % P::kPerWord;
        window[k] = P::to_float(at < 0           ? left[word]
                                : at < S::kBlock ? middle[word]
                                                 : right[word],
                                part);
    }
}

// The window of row y of the image's surroundings, sample by sample; `columns`: source_index() of
// its pixels.
template <class S>
__device__ __forceinline__ void look_up_window(const TileArgs& args,
                                               const int (&columns)[S::kWindowPixels], int y,
                                               float (&window)[S::kWindow]) {
    using P = typename S::Pixel;
    const ConvImages& images = args.images;
    const int source = source_index(images.y, args.row_sources, y);
    const auto* const row = reinterpret_cast<const typename P::Sample*>(
        images.src + static_cast<long long>(max(source, 0)) * images.src_pitch);
#pragma unroll
    for (int k = 0; k < S::kWindow; ++k) {
        const int px = columns[k / S::kChannels];
        const auto sample = row[max(px, 0) * S::kChannels + k % S::kChannels];
        window[k] = source < 0 || px < 0 ? border_value<P>(images) : P::value(sample);
    }
}

// Inside: all samples that the thread needs are in vectors in the image.
template <class S, bool kInside>
__device__ __forceinline__ void compute_tile(const TileArgs& args, int first, int y0) {
    using Sample = typename S::Pixel::Sample;
    const ConvImages& images = args.images;
    const std::byte* row = images.src + static_cast<long long>(y0 - S::kRadius) * images.src_pitch +
                           first * static_cast<int>(sizeof(Sample));
    int columns[S::kWindowPixels]{};
    if constexpr (!kInside) {
#pragma unroll
        for (int k = 0; k < S::kWindowPixels; ++k)
            columns[k] =
                source_index(images.x, args.column_sources, first / S::kChannels - S::kRadius + k);
    }
    float sums[S::kRows][S::kBlock];
#pragma unroll
    for (int i = 0; i < S::kRows + S::kSize - 1; ++i, row += images.src_pitch) {
        float window[S::kWindow];
        if constexpr (kInside)
            load_window<S>(row, window);
        else
            look_up_window<S>(args, columns, y0 - S::kRadius + i, window);
#pragma unroll
        for (int o = 0; o < S::kRows; ++o)
            if (o <= i && i < o + S::kSize) add_tap_row<S>(args, i - o, window, sums[o]);
    }
#pragma unroll
    for (int o = 0; o < S::kRows; ++o)
        store_block<typename S::Pixel, S::kChannels, S::kBlock>(images, args.dst_aligned, y0 + o,
                                                                first, sums[o]);
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
            compute_tile<S, true>(args, first, y0);
        else
            compute_tile<S, false>(args, first, y0);
    }
    let_successor_start();
}

}  // namespace weft
