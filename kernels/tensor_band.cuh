// What the tensor core rows share between the tile and the store: a warp's place, a band's
// products.
#pragma once

#include "kernels/mma.cuh"
#include "kernels/tensor_store.cuh"

namespace weft {

// Chunk pairs that eight output groups of a band reach.
template <int Chunks>
constexpr int kChunkPairs = (kTensorTiles + Chunks) / 2;

// A warp's outputs within the block, and its 16 rows in the tile.
struct TensorWarp {
    __device__ __forceinline__ TensorWarp(const TensorArgs& args, int thread,
                                          const SegmentWords* tile)
        : lane(thread % 32),
          row(thread / 32 / kTensorWarpsX * kTensorRows),
          sample(thread / 32 % kTensorWarpsX * kTensorSamples),
          chunks(tile + (row + lane % 16) * args.tile.pitch + sample / 8 + lane / 16) {}

    int lane;
    int row;
    int sample;
    const SegmentWords* chunks;  // this lane's 16 bytes of the first chunk pair
};

// What a sum is without any sample: see TensorArgs::start.
__device__ __forceinline__ void start_sums(const TensorArgs& args, int set, int lane,
                                           TensorSums& sums) {
    const TensorChannels channels(args, lane);
#pragma unroll
    for (int n = 0; n < kTensorTiles; ++n) {
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[n][v] = args.start[set][channels.of[v % 2]];
    }
}

// A band's fragments of this lane. Loaded before the barrier after the tile's filling, their way
// from memory costs nothing.
template <int Chunks>
struct BandFragments {
    __device__ __forceinline__ BandFragments(const std::uint32_t* bands, int lane) {
#pragma unroll
        for (int c = 0; c < Chunks; ++c) chunk[c] = bands[c * 32 + lane];
    }
    std::uint32_t chunk[Chunks];
};

// Every output group n: += chunks n .. n + Chunks - 1 times the band.
template <int Chunks>
__device__ __forceinline__ void multiply_band(
    const ChunkFragment (&chunks)[2 * kChunkPairs<Chunks>], const BandFragments<Chunks>& band,
    TensorSums& sums) {
#pragma unroll
    for (int c = 0; c < Chunks; c += 2) {
#pragma unroll
        for (int n = 0; n < kTensorTiles; ++n) {
            if (c + 1 < Chunks)
                multiply_chunks(sums[n], chunks[n + c], chunks[n + c + 1], band.chunk[c],
                                band.chunk[c + 1 < Chunks ? c + 1 : c]);
            else
                multiply_chunk(sums[n], chunks[n + c], band.chunk[c]);
        }
    }
}

}  // namespace weft
