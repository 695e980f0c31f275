// The kernel direct: one output per thread, every sample loaded again for every tap.
//
// Idea: the definition, written down. It is the baseline that the other kernels are compared with,
// so it stays as in a textbook: neighbouring threads load neighbouring samples, taps come from
// global memory (one broadcast for a warp), and only the border costs extra. Source: textbook
// Launch: block 32 × 8, grid of tiles in one dimension, so that tall images fit
// Limits: dense taps up to 63×63
// Cost per output and set: width · height loads of samples, as many of taps and multiplications
#pragma once

#include "kernels/common/direct_layout.h"
#include "kernels/common/sums.cuh"

namespace weft {

// Where a thread's output is. s: its sample in the row; px: its pixel; c: the channel it reads.
struct DirectPlace {
    int s, px, c, y;
};

template <class P>
__device__ __forceinline__ const typename P::Sample* row_of(const ConvImages& images, int y) {
    return reinterpret_cast<const typename P::Sample*>(images.src + static_cast<long long>(y) *
                                                                        images.src_pitch);
}

template <class P, class Sums>
__device__ __forceinline__ typename Sums::Value sum_inside(const DirectArgs& args,
                                                           const DirectPlace& at,
                                                           const float* taps) {
    typename Sums::Value sum = 0;
    for (int j = 0; j < args.height; ++j) {
        const auto* const row = row_of<P>(args.images, at.y - args.images.y.before + j) +
                                (at.px - args.images.x.before) * args.channels + at.c;
        for (int i = 0; i < args.width; ++i)
            sum = Sums::add(taps[j * args.width + i], P::value(row[i * args.channels]), sum);
    }
    return sum;
}

template <class P, class Sums>
__device__ __forceinline__ typename Sums::Value sum_at_border(const DirectArgs& args,
                                                              const DirectPlace& at,
                                                              const float* taps) {
    const float outside = border_value<P>(args.images);
    typename Sums::Value sum = 0;
    for (int j = 0; j < args.height; ++j) {
        const int y = source_index(args.images.y, at.y - args.images.y.before + j);
        const auto* const row = row_of<P>(args.images, max(y, 0)) + at.c;
        for (int i = 0; i < args.width; ++i) {
            const int px = source_index(args.images.x, at.px - args.images.x.before + i);
            const float x = px < 0 || y < 0
                                ? outside
                                : P::value(row[static_cast<long long>(px) * args.channels]);
            sum = Sums::add(taps[j * args.width + i], x, sum);
        }
    }
    return sum;
}

__device__ __forceinline__ bool all_taps_inside(const ConvImages& images, const DirectPlace& at) {
    return at.px >= images.x.before && at.px + images.x.after < images.x.length &&
           at.y >= images.y.before && at.y + images.y.after < images.y.length;
}

// The sum over the output's channel, or over all channels in turn.
template <class P, class Sums>
__device__ __forceinline__ typename Sums::Value sum_of_set(const DirectArgs& args, DirectPlace at,
                                                           int set) {
    const bool inside = all_taps_inside(args.images, at);
    const int end = at.c + args.channels - args.out_channels + 1;
    typename Sums::Value sum = 0;
    for (; at.c < end; ++at.c) {
        const int plane = set * args.planes + (args.planes > 1 ? at.c : 0);
        const float* const taps =
            args.taps + static_cast<long long>(plane) * args.width * args.height;
        sum +=
            inside ? sum_inside<P, Sums>(args, at, taps) : sum_at_border<P, Sums>(args, at, taps);
    }
    return sum;
}

template <class P, class Sums>
__global__ void __launch_bounds__(kDirectBlockX* kDirectBlockY)
    direct(const __grid_constant__ DirectArgs args) {
    const ConvImages& images = args.images;
    DirectPlace at{};
    at.s = static_cast<int>(blockIdx.x % args.tiles_x * kDirectBlockX + threadIdx.x);
    at.y = static_cast<int>(blockIdx.x / args.tiles_x * kDirectBlockY + threadIdx.y);
    at.px = at.s / args.out_channels;
    at.c = at.s % args.out_channels;
    if (at.px >= images.x.length || at.y >= images.y.length) return;
    typename Sums::Value result = 0;
    for (int set = 0; set < args.sets; ++set) {
        const typename Sums::Value sum = sum_of_set<P, Sums>(args, at, set);
        result = set == 0         ? sum
                 : args.magnitude ? Sums::magnitude(result, sum)
                                  : Sums::larger_of(result, sum);
    }
    auto* const row = reinterpret_cast<typename P::Sample*>(
        images.dst + static_cast<long long>(at.y) * images.dst_pitch);
    row[at.s] =
        P::finish(Sums::finish(result, images.scale[at.c], images.bias[at.c]), images.max_value);
}

}  // namespace weft
