// tensor_int8: the pixels' bytes go to the tensor cores as they lie, unconverted.
//
// Taps become bands as in tensor_dense, of signed bytes: one plane for whole numbers, two for
// fractions. The block's tile is bytes in shared memory; while it is computed, the next one's copy
// runs. A window's 16 bytes are four lanes' words, so a lane's load is 128 consecutive bytes a
// warp, and a row of the image, once in registers, serves all tap rows.
//
// Narrow taps, up to 9×9: bands and rows stay in registers, two tap rows a multiplication.
// Wider taps: windows of 16 outputs, 16 kChunks bytes; bands come from shared memory, each for the
// kInt8RowsAtOnce rows that a warp sums at once.
#pragma once

#include "kernels/mma.cuh"
#include "kernels/samples.cuh"
#include "kernels/tensor_int8_args.h"
#include "kernels/tensor_int8_feed.cuh"

namespace weft {

// What a warp reads of a tile in shared memory, and where its outputs go.
struct Int8Place {
    const std::uint8_t* window;  // of the lane's first word in the warp's first tap row
    std::uint8_t* to;            // the lane's first output
    int rows;                    // that the image has from there down, at most
    int samples;                 // that the image has from there on
};

__device__ __forceinline__ int int8_pitch(const Int8Args& args) {
    return 16 * (args.tile.segments + 1);
}

__device__ __forceinline__ Int8Place int8_place(const Int8Args& args, const SegmentWords* tile,
                                                int tile_y, int warp_rows) {
    const int lane = static_cast<int>(threadIdx.x);
    const int first_row = static_cast<int>(threadIdx.y) * warp_rows;
    const int sample = static_cast<int>(blockIdx.x) * kInt8Samples + 4 * lane;
    const int y = tile_y * args.block_rows + first_row;
    return {reinterpret_cast<const std::uint8_t*>(tile) + first_row * int8_pitch(args) +
                (-args.tile.left & 15) + 4 * lane,
            reinterpret_cast<std::uint8_t*>(args.images.dst) +
                static_cast<long long>(y) * args.images.dst_pitch + sample,
            args.images.y.length - y, args.images.x.length - sample};
}

__device__ __forceinline__ std::uint32_t word_at(const std::uint8_t* from) {
    return *reinterpret_cast<const std::uint32_t*>(from);
}

// A word of both halves of a row.
__device__ __forceinline__ ChunkFragment chunk_at(const std::uint8_t* from) {
    return {word_at(from), word_at(from + kInt8Samples / 2)};
}

__device__ __forceinline__ void store_word(const Int8Args& args, std::uint8_t* to,
                                           std::uint32_t word, int samples) {
    if (args.dst_aligned && samples >= 4) {
        *reinterpret_cast<std::uint32_t*>(to) = word;
        return;
    }
#pragma unroll
    for (int s = 0; s < 4; ++s)
        if (s < samples) to[s] = static_cast<std::uint8_t>(word >> (8 * s));
}

// Four samples from their sums in one or two planes, or sets.
template <Int8Sums kSums>
__device__ __forceinline__ void finish_int8(const Int8Args& args,
                                            const int (&sums)[kInt8Planes<kSums>][4],
                                            float (&out)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float v = __uint_as_float(static_cast<std::uint32_t>(sums[0][i]));
        if constexpr (kSums == Int8Sums::whole) {
            v -= kInt8Magic;
        } else if constexpr (kSums == Int8Sums::fraction) {
            const int both = sums[0][i] + (sums[1][i] >> kInt8PlaneBits);
            v = __uint_as_float(static_cast<std::uint32_t>(both));
        } else {
            const float b = __uint_as_float(static_cast<std::uint32_t>(sums[1][i]));
            v = magnitude_of(v - kInt8Magic, b - kInt8Magic);
        }
        out[i] = __fmaf_rn(v, args.gain, args.bias);
    }
}

// Where the planes' sums start: for fractions half a step of the upper plane, so that the lower's
// are rounded to the nearest.
template <Int8Sums kSums>
struct Int8Starts {
    __device__ __forceinline__ Int8Starts() {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            first[i] = in_register(kInt8Start);
            second[i] =
                kSums == Int8Sums::fraction ? in_register(1 << (kInt8PlaneBits - 1)) : first[i];
        }
    }
    __device__ __forceinline__ const int (&of(int plane) const)[4] {
        return plane == 0 ? first : second;
    }
    int first[4];
    int second[4];
};

// Computes the tiles of the block's column that are its own: the first is fetched, `prepare` runs
// while it comes, then `compute(tile, tile_y)` on each, the next one's copy under way.
template <class Prepare, class Compute>
__device__ __forceinline__ void for_each_int8_tile(const Int8Args& args, SegmentWords* tiles,
                                                   const Prepare& prepare, const Compute& compute) {
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x) & (kInt8Threads - 1);
    Int8Feed feed(args, thread);
    SegmentWords* tile = tiles;
    SegmentWords* other = tiles + args.tile.rows * (args.tile.segments + 1);
    feed.fetch(static_cast<int>(blockIdx.y), tile);
    close_copies();
    prepare(thread);
    feed.find_ends();
#pragma unroll 1
    for (int y = static_cast<int>(blockIdx.y);; y += args.blocks_y) {
        const bool last = y + args.blocks_y >= args.tiles_y;
        if (last) {
            wait_copies();
        } else {
            feed.fetch(y + args.blocks_y, other);
            close_copies();
            wait_copies_before<1>();
        }
        __syncthreads();
        if (feed.at_end()) {
            feed.make_ends(y, tile);
            __syncthreads();
        }
        compute(tile, y);
        if (last) return;
        __syncthreads();
        SegmentWords* const done = tile;
        tile = other;
        other = done;
    }
}

}  // namespace weft
