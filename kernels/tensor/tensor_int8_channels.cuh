// tensor_int8 for RGB and RGBA: each warp separates the channels of the rows that it has copied.
//
// As samples of one channel, a pixel's other channels would be zeros between its taps: 33 instead
// of 9 wide for RGBA. Separated, a row of 64 pixels of a channel is eight windows of eight outputs,
// lane 4 g + q having word q of window g; the windows of two rows of the image are a chunk. Its
// sums are two pixels of both rows, so that a lane stores whole pixels.
#pragma once

#include "kernels/tensor/interleaved_bytes.cuh"
#include "kernels/tensor/tensor_int8.cuh"

namespace weft {

// Chunks of a warp's rows, two rows each.
constexpr int kInt8Pairs = kInt8Rows / 2;

// Results of a warp: a word is two pixels of a channel in two rows.
template <int kChannels>
using Int8ChannelWords = std::uint32_t[kChannels][kInt8Pairs];

// The lane's first word in the warp's first tap row, of the first channel.
__device__ __forceinline__ const std::uint8_t* channel_window(const Int8Args& args,
                                                              const Words<4>* tile, int step) {
    const int lane = static_cast<int>(threadIdx.x);
    const int row = step * kInt8StepRows + static_cast<int>(threadIdx.y) * kInt8Rows;
    return reinterpret_cast<const std::uint8_t*>(tile) + row * int8_pitch(args) + 8 * (lane >> 2) +
           4 * (lane & 3);
}

// Stores interleaved pixels. RGBA: two pixels of each row per lane. RGB: lanes of a pair exchange
// rows, so that each has the four pixels of one, in whole words.
template <int kChannels>
__device__ __forceinline__ void store_channels(const Int8Args& args,
                                               const Int8ChannelWords<kChannels>& words, int step) {
    constexpr bool kRgba = kChannels == 4;
    const int lane = static_cast<int>(threadIdx.x);
    const int row =
        step * kInt8StepRows + static_cast<int>(threadIdx.y) * kInt8Rows + (kRgba ? 0 : lane & 1);
    const int y = static_cast<int>(blockIdx.y) * args.steps * kInt8StepRows + row;
    const int sample = static_cast<int>(blockIdx.x) * kInt8BlockSamples<kChannels> +
                       (kRgba ? 8 * lane : 12 * (lane >> 1));
    const int rows = args.images.y.length - y;
    const int samples = args.images.x.length - sample;
    std::byte* to = args.images.dst + static_cast<long long>(y) * args.images.dst_pitch + sample;
#pragma unroll
    for (int pair = 0; pair < kInt8Pairs; ++pair) {
        std::uint32_t w[kChannels];
#pragma unroll
        for (int c = 0; c < kChannels; ++c) w[c] = words[c][pair];
        interleave_channels(w);
        if constexpr (kRgba) {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                auto* const out = reinterpret_cast<ByteColumns*>(to + k * args.images.dst_pitch);
                if (2 * pair + k >= rows) continue;
                if (samples >= 8)
                    *out = {{w[2 * k], w[2 * k + 1]}};
                else if (samples > 0)
                    out->w[0] = w[2 * k];
            }
        } else {
            const std::uint32_t other =
                __shfl_sync(0xFFFFFFFFU, (lane & 1) != 0 ? w[0] : w[2], lane ^ 1);
            const std::uint32_t middle = __shfl_sync(0xFFFFFFFFU, w[1], lane ^ 1);
            const std::uint32_t own = w[1];
            if ((lane & 1) == 0) {
                w[1] = __byte_perm(own, other, 0x5410U);
                w[2] = __byte_perm(other, middle, 0x5432U);
            } else {
                w[0] = __byte_perm(middle, other, 0x5432U);
                w[1] = __byte_perm(other, own, 0x7632U);
            }
            if (2 * pair >= rows) continue;
#pragma unroll
            for (int k = 0; k < kChannels; ++k) {
                if (samples >= 4 * k + 4)
                    reinterpret_cast<std::uint32_t*>(to)[k] = w[k];
                else
                    for (int s = 4 * k; s < samples; ++s)
                        to[s] = static_cast<std::byte>(w[k] >> (8 * (s - 4 * k)));
            }
        }
        to += 2 * args.images.dst_pitch;
    }
}

}  // namespace weft
