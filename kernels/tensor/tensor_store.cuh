// The end of the tensor core kernels: fragments of fp32 sums to rows of bytes.
//
// A lane's values of eight accumulators are, per row, pairs of columns 8 n + 2q, + 1. Two pairs
// make a word; the four lanes of a quad then transpose their 4×4 words, so that each holds 16
// samples in a row and stores them at once, and the quad 64 bytes.
#pragma once

#include "kernels/common/samples.cuh"
#include "kernels/tensor/tensor_layout.h"
#include "kernels/tensor/tensor_tile.cuh"

namespace weft {

using TensorSums = float[kTensorTiles][4];

// words[k] of lane q becomes words[q] of lane k, within each four lanes.
__device__ __forceinline__ void transpose_quad(std::uint32_t (&words)[4], int lane) {
#pragma unroll
    for (int step = 1; step <= 2; ++step) {
        const bool odd = (lane & step) != 0;
#pragma unroll
        for (int pair = 0; pair < 2; ++pair) {
            const int a = step == 1 ? 2 * pair : pair;  // the word that a lane with the bit sends
            const std::uint32_t given = odd ? words[a] : words[a + step];
            const std::uint32_t got = __shfl_sync(0xFFFFFFFFU, given, lane ^ step);
            if (odd)
                words[a] = got;
            else
                words[a + step] = got;
        }
    }
}

// The destination of a warp's outputs. `whole`: all of them are in the image, and rows are aligned.
struct TensorTarget {
    int y;
    int sample;
    bool whole;
};

// 16 samples of row y.
__device__ __forceinline__ void store_samples(const TensorArgs& args, int y, int first, bool whole,
                                              const SegmentWords& words) {
    auto* const to = reinterpret_cast<std::uint8_t*>(args.images.dst + static_cast<long long>(y) *
                                                                           args.images.dst_pitch) +
                     first;
    if (whole) {
        *reinterpret_cast<SegmentWords*>(to) = words;
        return;
    }
    const int samples = args.images.x.length << args.tile.channel_shift;
    if (y >= args.images.y.length) return;
#pragma unroll
    for (int s = 0; s < 16; ++s)
        if (first + s < samples) to[s] = static_cast<std::uint8_t>(words.w[s / 4] >> (8 * (s % 4)));
}

// The channels of this lane's two columns, the same in every accumulator.
struct TensorChannels {
    __device__ __forceinline__ TensorChannels(const TensorArgs& args, int lane) {
        const int mask = (1 << args.tile.channel_shift) - 1;
        of[0] = 2 * lane & mask;
        of[1] = (2 * lane + 1) & mask;
    }
    int of[2] = {};
};

// 16 rows of 64 samples as fma(sum, gain, bias). Every lane of the warp takes part.
__device__ __forceinline__ void store_tensor_sums(const TensorArgs& args,
                                                  const TensorTarget& target, int lane,
                                                  const float* gains, const TensorSums& sums) {
    const TensorChannels channels(args, lane);
    const float gain[2] = {gains[channels.of[0]], gains[channels.of[1]]};
    const float bias[2] = {args.images.bias[channels.of[0]], args.images.bias[channels.of[1]]};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        std::uint32_t words[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float v[4];
#pragma unroll
            for (int s = 0; s < 4; ++s)
                v[s] = __fmaf_rn(sums[2 * k + s / 2][2 * half + s % 2], gain[s % 2], bias[s % 2]);
            words[k] = pack_saturated(v[0], v[1], v[2], v[3]);
        }
        transpose_quad(words, lane);
        const SegmentWords out = {
            {__byte_perm(words[0], words[1], 0x5410U), __byte_perm(words[2], words[3], 0x5410U),
             __byte_perm(words[0], words[1], 0x7632U), __byte_perm(words[2], words[3], 0x7632U)}};
        store_samples(args, target.y + lane / 4 + 8 * half, target.sample + 16 * (lane % 4),
                      target.whole, out);
    }
}

}  // namespace weft
