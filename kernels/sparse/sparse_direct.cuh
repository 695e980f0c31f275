// The image form of sparse_direct: only nonzero taps are multiplied.
//
// Idea: taps are a list of values and of distances in a tile of shared memory that holds a block's
// samples, so that no index is taken apart and no zero is met. A tap is read once for 16 outputs of
// a lane, four samples of four rows. The limit is shared memory, one word per product; 8-bit
// samples are stored there two per word, as the upper halves of fp32 (exact: eight bits), and every
// row twice, the second time a sample later, so that a pair at any distance is one word:
//
//     copy 0   ab cd ef gh        a tap at an even distance reads a word of the first copy,
//     copy 1   bc de fg hi        at an odd distance one of the second
//
// Taps one below the other make a run of four or two: a lane's four rows meet most of the same
// samples, so that a run of four reads seven rows in place of sixteen.
//
// A tile holds only the samples within reach of nonzero taps, those of all channels side by side;
// where channels have taps of their own, or tiles would be too large, a block takes one channel.
// Source: textbook; the lists of Fang et al., Computer Engineering & Science 2018
// Launch: block 32 × 8, tiles of 128 samples by 32 rows; shared memory of tile_rows · pitch words
// Limits: dense taps up to 63×63. A zero tap does not carry a NaN or an infinity from its sample
// Cost per output: as many multiplications as nonzero taps, and for each as many loads from shared
// memory, 5 / 8 in runs of two, 7 / 16 in runs of four (8 bits: half as many)
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/sparse/sparse_fill.cuh"

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

// Runs of `Length` taps; `window` is the word of the lane's first output.
template <class P, int Length>
__device__ __forceinline__ void add_runs(const SparseImageArgs& args, int first, int end,
                                         const std::uint32_t* window, SparseImageSums& sums) {
    constexpr int kSamples = SparseWord<P>::kSamples;
#pragma unroll(Length == 1 ? 2 : 1)
    for (int k = first; k < end; k += Length) {
        SparseTap taps[Length];
#pragma unroll
        for (int t = 0; t < Length; ++t) taps[t] = args.taps[k + t];
#pragma unroll
        for (int r = 0; r < kSparseStripRows + Length - 1; ++r) {
#pragma unroll
            for (int w = 0; w < kSparseStrip / 32 / kSamples; ++w) {
                const std::uint32_t word = window[taps[0].offset + r * args.pitch + 32 * w];
#pragma unroll
                for (int s = 0; s < kSamples; ++s) {
                    const float x = SparseWord<P>::sample(word, s);
#pragma unroll
                    for (int t = 0; t < Length; ++t) {
                        if (r < t || r - t >= kSparseStripRows) continue;
                        float& sum = sums[r - t][w * kSamples + s];
                        sum = __fmaf_rn(taps[t].value, x, sum);
                    }
                }
            }
        }
    }
}

// All taps of one set and plane.
template <class P>
__device__ __forceinline__ void sum_sparse_taps(const SparseImageArgs& args, int list,
                                                const std::uint32_t* window,
                                                SparseImageSums& sums) {
#pragma unroll
    for (auto& row : sums)
#pragma unroll
        for (float& sum : row) sum = 0.0F;
    const int* const begin = args.begin + list * kSparseRunLengths;
    add_runs<P, kSparseRuns[0]>(args, begin[0], begin[1], window, sums);
    add_runs<P, kSparseRuns[1]>(args, begin[1], begin[2], window, sums);
    add_runs<P, kSparseRuns[2]>(args, begin[2], begin[3], window, sums);
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
    wait_for_predecessors();
    let_successor_start();
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
