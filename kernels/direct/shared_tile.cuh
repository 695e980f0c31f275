// The kernel shared_tile: a tile of the image and its halo in shared memory, four outputs per
// thread.
//
// Idea: samples that neighbouring outputs share are loaded from the image once per block, and
// borders are resolved once per sample; the sums are those of `direct`.
//
//     block of 32 × 8 threads      ┌──────────────┐
//     outputs 32 × 32              │ halo ┌─────┐ │   every sample of the tile is loaded by one
//     tile + (width - 1) pixels    │      │ out │ │   thread, as fp32; after the barrier each
//       by + (height - 1) rows     │      └─────┘ │   output reads its own window
//                                  └──────────────┘
// Source: textbook (NVIDIA's convolution samples, 2007)
// Launch: block 32 × 8, grid of tiles in one dimension; shared memory of rows · pitch floats
// Limits: dense taps up to 63×63
// Cost per output and set: width · height loads from shared memory, as many of taps and
// multiplications; (tile + halo) / tile loads of a sample
#pragma once

#include "kernels/common/samples.cuh"
#include "kernels/direct/shared_tile.h"

namespace weft {

extern __shared__ float shared_tile_samples[];

// The place of a tile's first output. s: its sample in the row.
struct TileOrigin {
    int s, y;
};

// All threads of the block load the tile and its halo as fp32; a barrier must follow.
template <class P>
__device__ __forceinline__ void fill_shared_tile(const SharedTileArgs& args, TileOrigin origin) {
    using Sample = typename P::Sample;
    const ConvImages& images = args.direct.images;
    const int channels = args.direct.channels;
    const int samples = kDirectBlockX + (args.direct.width - 1) * channels;
    const int rows = kSharedTileRows + args.direct.height - 1;
    for (int k = static_cast<int>(threadIdx.x); k < samples; k += kDirectBlockX) {
        const int px = source_index(images.x, (origin.s + k) / channels - images.x.before);
        const int s = max(px, 0) * channels + (origin.s + k) % channels;
#pragma unroll 4
        for (int r = static_cast<int>(threadIdx.y); r < rows; r += kDirectBlockY) {
            const int y = source_index(images.y, origin.y + r - images.y.before);
            const auto* const row = reinterpret_cast<const Sample*>(
                images.src + static_cast<long long>(max(y, 0)) * images.src_pitch);
            shared_tile_samples[r * args.pitch + k] =
                px < 0 || y < 0 ? border_value<P>(images) : P::value(row[s]);
        }
    }
}

// One tap set for the thread's outputs, kDirectBlockY rows apart.
__device__ __forceinline__ void sum_shared_tile(const SharedTileArgs& args, const float* taps,
                                                float (&sums)[kSharedTileOutputs]) {
    const float* const window = shared_tile_samples + static_cast<int>(threadIdx.y) * args.pitch +
                                static_cast<int>(threadIdx.x);
#pragma unroll
    for (int o = 0; o < kSharedTileOutputs; ++o) sums[o] = 0.0F;
    for (int j = 0; j < args.direct.height; ++j) {
        for (int i = 0; i < args.direct.width; ++i) {
            const float tap = taps[j * args.direct.width + i];
            const float* const at = window + j * args.pitch + i * args.direct.channels;
#pragma unroll
            for (int o = 0; o < kSharedTileOutputs; ++o)
                sums[o] = __fmaf_rn(tap, at[o * kDirectBlockY * args.pitch], sums[o]);
        }
    }
}

template <class P>
__global__ void __launch_bounds__(kDirectBlockX* kDirectBlockY)
    shared_tile(const __grid_constant__ SharedTileArgs args) {
    const ConvImages& images = args.direct.images;
    const int tile = static_cast<int>(blockIdx.x);
    const TileOrigin origin = {tile % args.direct.tiles_x * kDirectBlockX,
                               tile / args.direct.tiles_x * kSharedTileRows};
    fill_shared_tile<P>(args, origin);
    __syncthreads();
    const int s = origin.s + static_cast<int>(threadIdx.x);
    if (s >= images.x.length * args.direct.channels) return;
    const int channel = s % args.direct.channels;
    float result[kSharedTileOutputs] = {};
    for (int set = 0; set < args.direct.sets; ++set) {
        const int plane = set * args.direct.planes + (args.direct.planes > 1 ? channel : 0);
        float sums[kSharedTileOutputs];
        sum_shared_tile(args, args.direct.taps + plane * args.direct.width * args.direct.height,
                        sums);
#pragma unroll
        for (int o = 0; o < kSharedTileOutputs; ++o)
            result[o] = set == 0                ? sums[o]
                        : args.direct.magnitude ? magnitude_of(result[o], sums[o])
                                                : larger(result[o], sums[o]);
    }
#pragma unroll
    for (int o = 0; o < kSharedTileOutputs; ++o) {
        const int y = origin.y + static_cast<int>(threadIdx.y) + o * kDirectBlockY;
        if (y >= images.y.length) return;
        auto* const row = reinterpret_cast<typename P::Sample*>(
            images.dst + static_cast<long long>(y) * images.dst_pitch);
        row[s] = P::finish(__fmaf_rn(result[o], images.scale[channel], images.bias[channel]),
                           images.max_value);
    }
}

}  // namespace weft
