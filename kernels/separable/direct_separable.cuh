// The kernel direct_separable: rank-1 taps as a pass along rows and a pass along columns.
//
// Idea: width + height multiplications per output instead of width · height. The row pass writes
// unrounded sums of every image row; the column pass reads them with the border rule of the y axis,
// which commutes with the row pass. A row of constant border values has one sum per channel.
// Source: textbook
// Launch: two kernels, block 32 × 8, grid of tiles in one dimension
// Limits: one tap set; factors known; up to 511 per side; a workspace of one image of sums
// Cost per output: width + height loads and multiplications, and 8 bytes of workspace traffic
#pragma once

#include "kernels/common/sums.cuh"
#include "kernels/separable/direct_separable.h"

namespace weft {

// Where a thread's output is. s: its sample in the row; px: its pixel; c: its channel.
struct SeparablePlace {
    int s, px, c, y;
    const float* taps;  // row factors of the channel, then column factors
};

__device__ __forceinline__ SeparablePlace place_of(const SeparableArgs& args) {
    SeparablePlace at{};
    at.s = static_cast<int>(blockIdx.x % args.tiles_x * kDirectBlockX + threadIdx.x);
    at.y = static_cast<int>(blockIdx.x / args.tiles_x * kDirectBlockY + threadIdx.y);
    at.px = at.s / args.channels;
    at.c = at.s % args.channels;
    at.taps = args.taps + (args.planes > 1 ? at.c : 0) * (args.width + args.height);
    return at;
}

__device__ __forceinline__ long long row_start(const SeparableArgs& args, int y) {
    return static_cast<long long>(y) * args.images.x.length * args.channels;
}

template <class P, class Sums>
__global__ void __launch_bounds__(kDirectBlockX* kDirectBlockY)
    row_pass(const __grid_constant__ SeparableArgs args) {
    const ConvImages& images = args.images;
    const SeparablePlace at = place_of(args);
    if (at.px >= images.x.length || at.y >= images.y.length) return;
    const auto* const row = reinterpret_cast<const typename P::Sample*>(
                                images.src + static_cast<long long>(at.y) * images.src_pitch) +
                            at.c;
    const int first = at.px - images.x.before;
    typename Sums::Value sum = 0;
    if (first >= 0 && at.px + images.x.after < images.x.length) {
        const auto* const start = row + first * args.channels;
        for (int i = 0; i < args.width; ++i)
            sum = Sums::add(at.taps[i], P::value(start[i * args.channels]), sum);
    } else {
        const float outside = border_value<P>(images);
        for (int i = 0; i < args.width; ++i) {
            const int px = source_index(images.x, first + i);
            const float x = px < 0 ? outside : P::value(row[px * args.channels]);
            sum = Sums::add(at.taps[i], x, sum);
        }
    }
    static_cast<typename Sums::Value*>(args.between)[row_start(args, at.y) + at.s] = sum;
}

template <class P, class Sums>
__global__ void __launch_bounds__(kDirectBlockX* kDirectBlockY)
    column_pass(const __grid_constant__ SeparableArgs args) {
    const ConvImages& images = args.images;
    const SeparablePlace at = place_of(args);
    if (at.px >= images.x.length || at.y >= images.y.length) return;
    using Value = typename Sums::Value;
    const Value* const column = static_cast<const Value*>(args.between) + at.s;
    const float* const taps = at.taps + args.width;
    const int first = at.y - images.y.before;
    typename Sums::Value sum = 0;
    if (first >= 0 && at.y + images.y.after < images.y.length) {
        for (int j = 0; j < args.height; ++j)
            sum = Sums::add(taps[j], column[row_start(args, first + j)], sum);
    } else {
        for (int j = 0; j < args.height; ++j) {
            const int y = source_index(images.y, first + j);
            const Value x =
                y < 0 ? static_cast<Value>(args.outside[at.c]) : column[row_start(args, y)];
            sum = Sums::add(taps[j], x, sum);
        }
    }
    auto* const row = reinterpret_cast<typename P::Sample*>(
        images.dst + static_cast<long long>(at.y) * images.dst_pitch);
    row[at.s] =
        P::finish(Sums::finish(sum, images.scale[at.c], images.bias[at.c]), images.max_value);
}

}  // namespace weft
