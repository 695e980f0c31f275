// Shared by the tensor core kernels, between the tile and the store: a warp's place, a band's
// products.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/tensor/tensor_store.cuh"

namespace weft {

// Chunk pairs that eight output groups of a band reach.
template <int Chunks>
constexpr int kChunkPairs = (kTensorTiles + Chunks) / 2;

// A warp's outputs within the block, and its 16 rows in the tile.
struct TensorWarp {
    __device__ __forceinline__ TensorWarp(const TensorArgs& args, int thread, const Words<4>* tile)
        : lane(thread & 31),
          row((thread >> 5) / kTensorWarpsX * kTensorRows),
          sample((thread >> 5) % kTensorWarpsX * kTensorSamples),
          chunks(tile + (row + (lane & 15)) * args.tile.pitch + (sample >> 3) + (lane >> 4)) {}

    __device__ __forceinline__ TensorTarget target(const TensorArgs& args,
                                                   const TensorOrigin& origin) const {
        const int samples = args.images.x.length << args.tile.channel_shift;
        const bool whole = args.dst_aligned && origin.sample + kTensorBlockSamples <= samples &&
                           origin.y + args.block_rows <= args.images.y.length;
        return {origin.y + row, origin.sample + sample, whole};
    }

    int lane;
    int row;
    int sample;
    const Words<4>* chunks;  // this lane's 16 bytes of the first chunk pair
};

// The start value of a sum, see TensorArgs::start. The same in every accumulator.
struct TensorStart {
    __device__ __forceinline__ TensorStart(const TensorArgs& args, int set, int lane) {
        const TensorChannels channels(args, lane);
#pragma unroll
        for (int v = 0; v < 4; ++v) of[v] = args.start[set][channels.of[v % 2]];
    }
    float of[4] = {};
};

// This lane's fragments of a band. Loaded before the barrier after the tile's filling, which hides
// their latency.
template <int Chunks>
struct BandFragments {
    __device__ __forceinline__ BandFragments(const std::uint32_t* bands, int lane) {
#pragma unroll
        for (int c = 0; c < Chunks; ++c) chunk[c] = bands[c * 32 + lane];
    }
    std::uint32_t chunk[Chunks] = {};
};

// Every output group n: += chunks n .. n + Chunks - 1 times the band. A start is given with the
// first band: the first product of each accumulator takes it from there.
template <int Chunks>
__device__ __forceinline__ void multiply_band(
    const ChunkFragment (&chunks)[2 * kChunkPairs<Chunks>], const BandFragments<Chunks>& band,
    const TensorStart* start, TensorSums& sums) {
#pragma unroll
    for (int c = 0; c < Chunks; c += 2) {
#pragma unroll
        for (int n = 0; n < kTensorTiles; ++n) {
            if (c + 1 == Chunks)
                multiply_chunk(sums[n], chunks[n + c], band.chunk[c]);
            else if (c == 0 && start != nullptr)
                multiply_chunks(sums[n], start->of, chunks[n], chunks[n + 1], band.chunk[0],
                                band.chunk[1]);
            else
                multiply_chunks(sums[n], chunks[n + c], chunks[n + c + 1], band.chunk[c],
                                band.chunk[c + 1]);
        }
    }
}

}  // namespace weft
