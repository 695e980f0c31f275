// The end of the tensor core kernels: fragments of fp32 sums to rows of samples.
//
// A lane's values of eight accumulators are, per row, pairs of columns 8 n + 2q, + 1. Two pairs
// make a word, or one of 16 bits; the four lanes of a quad then transpose their 4×4 words, so that
// each holds 16 bytes of a row and stores them at once, and the quad 64.
#pragma once

#include "kernels/common/samples.cuh"
#include "kernels/tensor/tensor_dense.h"
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

// 16 bytes of row y.
template <class P>
__device__ __forceinline__ void store_samples(const TensorArgs& args, int y, int first, bool whole,
                                              const Words<4>& words) {
    using Sample = typename P::Sample;
    constexpr int kBits = 32 / P::kPerWord;
    auto* const to = reinterpret_cast<Sample*>(args.images.dst +
                                               static_cast<long long>(y) * args.images.dst_pitch) +
                     first;
    if (whole) {
        *reinterpret_cast<Words<4>*>(to) = words;
        return;
    }
    const int samples = args.images.x.length << args.tile.channel_shift;
    if (y >= args.images.y.length) return;
#pragma unroll
    for (int s = 0; s < kSamplesPerVector<P>; ++s)
        if (first + s < samples)
            to[s] = static_cast<Sample>(words.v[s / P::kPerWord] >> (kBits * (s % P::kPerWord)));
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

// Rows g and g + 8 of a lane's fragments, finished as fma(sum, gain, bias).
struct TensorFinish {
    __device__ __forceinline__ TensorFinish(const TensorArgs& args, int lane, const float* gains) {
        const TensorChannels channels(args, lane);
#pragma unroll
        for (int v = 0; v < 2; ++v) {
            gain[v] = gains[channels.of[v]];
            bias[v] = args.images.bias[channels.of[v]];
        }
    }
    // Value v (0, 1: row g; 2, 3: row g + 8) of an accumulator.
    __device__ __forceinline__ float of(const float (&sums)[4], int v) const {
        return __fmaf_rn(sums[v], gain[v % 2], bias[v % 2]);
    }
    float gain[2] = {};
    float bias[2] = {};
};

// 16 rows of 64 samples of 8 bits. Every lane of the warp takes part.
__device__ __forceinline__ void store_bytes(const TensorArgs& args, const TensorTarget& target,
                                            int lane, const TensorFinish& finish,
                                            const TensorSums& sums) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        std::uint32_t words[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            words[k] = pack_saturated(
                finish.of(sums[2 * k], 2 * half), finish.of(sums[2 * k], 2 * half + 1),
                finish.of(sums[2 * k + 1], 2 * half), finish.of(sums[2 * k + 1], 2 * half + 1));
        transpose_quad(words, lane);
        const Words<4> out = {
            {__byte_perm(words[0], words[1], 0x5410U), __byte_perm(words[2], words[3], 0x5410U),
             __byte_perm(words[0], words[1], 0x7632U), __byte_perm(words[2], words[3], 0x7632U)}};
        store_samples<U8>(args, target.y + lane / 4 + 8 * half, target.sample + 16 * (lane % 4),
                          target.whole, out);
    }
}

// The same of 16 bits: four accumulators are 32 samples.
__device__ __forceinline__ void store_words(const TensorArgs& args, const TensorTarget& target,
                                            int lane, const TensorFinish& finish,
                                            const TensorSums& sums) {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
        const int half = part / 2;
        const int first = part % 2 * 4;
        std::uint32_t words[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float pair[2] = {finish.of(sums[first + k], 2 * half),
                                   finish.of(sums[first + k], 2 * half + 1)};
            words[k] = U16::pack(pair, args.images.max_value);
        }
        transpose_quad(words, lane);
        store_samples<U16>(args, target.y + lane / 4 + 8 * half,
                           target.sample + 8 * (first + lane % 4), target.whole,
                           {{words[0], words[1], words[2], words[3]}});
    }
}

template <class P>
__device__ __forceinline__ void store_tensor_sums(const TensorArgs& args,
                                                  const TensorTarget& target, int lane,
                                                  const float* gains, const TensorSums& sums) {
    const TensorFinish finish(args, lane, gains);
    if constexpr (P::kPerWord == 4)
        store_bytes(args, target, lane, finish, sums);
    else
        store_words(args, target, lane, finish, sums);
}

}  // namespace weft
