// The image form of the row sparse_direct: only taps that are not zero are multiplied.
//
// Idea: taps are a list of values and of distances in a tile of shared memory that holds a block's
// samples, so that no index is taken apart and no zero is met. A tap is read once for 16 outputs of
// a lane, four samples of four rows. What limits it is shared memory, a word a product; 8-bit
// samples lie there two a word, as the upper halves of fp32 (exact: eight bits), and every row
// twice, the second time a sample later, so that a pair at any distance is one word:
//
//     copy 0   ab cd ef gh        a tap at an even distance reads a word of the first copy,
//     copy 1   bc de fg hi        at an odd distance one of the second
//
// A tile holds only what the taps that are not zero reach. Its samples are those of all channels,
// side by side; where channels have taps of their own, or tiles would be too large, a block takes
// one channel.
// Source: textbook; the lists of Fang et al., Computer Engineering & Science 2018
// Launch: block 32 × 8, tiles of 128 samples by 32 rows; shared memory of tile_rows · pitch words
// Limits: dense taps up to 63×63. A zero tap does not carry a NaN or an infinity from its sample
// Cost per output: as many multiplications as taps that are not zero, as many loads from shared
// memory (8 bits: half as many)
#pragma once

#include "kernels/sparse_fill.cuh"

namespace weft {

__device__ __forceinline__ SparseTile sparse_tile_of(const SparseImageArgs& args, int block) {
    const int channels = args.channels / args.together;
    const int tile = block / channels;
    return {tile % args.tiles_x * kSparseStrip, tile / args.tiles_x * kSparseImageRows,
            block % channels};
}

__device__ __forceinline__ int sparse_channel(const SparseImageArgs& args, const SparseTile& tile,
                                              int position) {
    return args.together == 1 ? tile.channel : position % args.together;
}

// A lane's outputs: by row, then word, then sample of a word.
using SparseImageSums = float[kSparseStripRows][kSparseStrip / 32];

// One list of taps; `window` is the word of the lane's first output.
template <class P>
__device__ __forceinline__ void sum_sparse_taps(const SparseImageArgs& args, int list,
                                                const std::uint32_t* window,
                                                SparseImageSums& sums) {
    constexpr int kSamples = SparseWord<P>::kSamples;
#pragma unroll
    for (auto& row : sums)
#pragma unroll
        for (float& sum : row) sum = 0.0F;
#pragma unroll 2
    for (int k = args.begin[list]; k < args.begin[list + 1]; ++k) {
        const SparseTap tap = args.taps[k];
#pragma unroll
        for (int r = 0; r < kSparseStripRows; ++r) {
#pragma unroll
            for (int w = 0; w < kSparseStrip / 32 / kSamples; ++w) {
                const std::uint32_t word = window[tap.offset + r * args.pitch + 32 * w];
#pragma unroll
                for (int s = 0; s < kSamples; ++s)
                    sums[r][w * kSamples + s] = __fmaf_rn(tap.value, SparseWord<P>::sample(word, s),
                                                          sums[r][w * kSamples + s]);
            }
        }
    }
}

template <class P>
__device__ __forceinline__ void store_sparse_sums(const SparseImageArgs& args,
                                                  const SparseTile& tile, int y,
                                                  const SparseImageSums& sums) {
    constexpr int kSamples = SparseWord<P>::kSamples;
    const ConvImages& images = args.images;
#pragma unroll
    for (int k = 0; k < kSparseStrip / 32; ++k) {
        const int in_strip =
            (k / kSamples * 32 + static_cast<int>(threadIdx.x)) * kSamples + k % kSamples;
        const int position = tile.first + in_strip;
        const int px = position / args.together;
        const int channel = sparse_channel(args, tile, position);
        if (px >= images.x.length) continue;
#pragma unroll
        for (int r = 0; r < kSparseStripRows; ++r) {
            if (y + r >= images.y.length) break;
            auto* const row = reinterpret_cast<typename P::Sample*>(
                images.dst + static_cast<long long>(y + r) * images.dst_pitch);
            row[px * args.channels + channel] =
                P::finish(__fmaf_rn(sums[r][k], images.scale[channel], images.bias[channel]),
                          images.max_value);
        }
    }
}

template <class P>
__global__ void __launch_bounds__(32 * kSparseImageWarps, 4)
    sparse_direct_image(const __grid_constant__ SparseImageArgs args) {
    const SparseTile tile = sparse_tile_of(args, static_cast<int>(blockIdx.x));
    fill_sparse_tile<P>(args, tile);
    __syncthreads();
    const int row = static_cast<int>(threadIdx.y) * kSparseStripRows;
    const std::uint32_t* const window =
        sparse_samples + row * args.pitch + static_cast<int>(threadIdx.x);
    SparseImageSums result{};
    for (int set = 0; set < args.sets; ++set) {
        SparseImageSums sums;
        sum_sparse_taps<P>(args, set * args.planes + (args.planes > 1 ? tile.channel : 0), window,
                           sums);
#pragma unroll
        for (int r = 0; r < kSparseStripRows; ++r) {
#pragma unroll
            for (int k = 0; k < kSparseStrip / 32; ++k) {
                const float s = sums[r][k];
                result[r][k] = set == 0         ? s
                               : args.magnitude ? magnitude_of(result[r][k], s)
                                                : larger(result[r][k], s);
            }
        }
    }
    store_sparse_sums<P>(args, tile, tile.y + row, result);
}

}  // namespace weft
