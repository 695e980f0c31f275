// The kernel fft: images through the frequency domain, at a cost that hardly grows with the taps.
//
// Idea: the image is cut into tiles that overlap by the taps (overlap-save). The spectrum of each,
// with its border filled in, is multiplied with the conjugate of the taps' and transformed back;
// results that wrapped around the tile's ends are dropped. cuFFT transforms, in place; these
// kernels fetch, multiply and finish.
//
//     ┌──────────── width ────────────┐
//     │ results: out_width    │ taps  │  one tile; the next begins out_width to the right
//     └───────────────────────┴───────┘
//
// 8-bit samples are centred first: rounding errors grow with the largest sample of a tile.
// Source: textbook; error bound after Higham, Accuracy and Stability, theorem 24.2: a transform of
// 2^20 fp32 samples errs by 7u · 21 of its norm, two of them and a product by 300u, and a tile's
// norm is at most 2^10 · max|x|, so that a sum errs by 300 · 2^-24 · 2^10 · max|x| · ‖w‖, 0.0184
// Launch: fetch and finish, a block per row of a tile; multiply, a block per 2048 complex numbers
// Limits: one set of dense taps, no whole numbers; 16 bits hardly ever; a NaN or an infinity
// spreads over its tile
// Cost: 5 n log2 n operations per tile of n samples, eight passes over fp32 copies of the image
// Tried on an H200, 3840×2160 f32, where 31×31 and 63×63 take 218 and 249 µs: rounds of 20 MB, to
// stay in the L2 cache, 230 and 263; tiles of up to 512, 231 and 377
#pragma once

#include "kernels/common/samples.cuh"
#include "kernels/fft/fft.h"

namespace weft {

constexpr int kFftWarps = 8;
constexpr int kFftThreads = 32 * kFftWarps;
constexpr int kFftProducts = 8;  // complex numbers per thread

__device__ __forceinline__ int fft_thread() {
    return static_cast<int>(threadIdx.y * 32 + threadIdx.x);
}

// A tile's first result in the image, and its channel.
struct FftPlace {
    int x, y, channel;
};

__device__ __forceinline__ FftPlace fft_place(const FftArgs& args, int tile_of_round) {
    const int tile = args.first_tile + tile_of_round;
    const int place = tile / args.channels;
    return {place % args.tiles_x * args.out_width, place / args.tiles_x * args.out_height,
            tile % args.channels};
}

__device__ __forceinline__ float* fft_row(const FftArgs& args, int tile_of_round, int row) {
    return args.samples +
           (static_cast<long long>(tile_of_round) * args.height + row) * (args.width + 2);
}

// A row of a tile: samples, the border's too, less the centre.
template <class P>
__global__ void __launch_bounds__(kFftThreads) fft_fetch(const __grid_constant__ FftArgs args) {
    const ConvImages& images = args.images;
    const int tile = static_cast<int>(blockIdx.x) / args.height;
    const int row = static_cast<int>(blockIdx.x) % args.height;
    const FftPlace place = fft_place(args, tile);
    const int y = source_index(images.y, place.y + row - images.y.before);
    const auto* const samples = reinterpret_cast<const typename P::Sample*>(
        images.src + static_cast<long long>(max(y, 0)) * images.src_pitch);
    float* const to = fft_row(args, tile, row);
#pragma unroll 4
    for (int k = fft_thread(); k < args.width; k += kFftThreads) {
        const int px = source_index(images.x, place.x + k - images.x.before);
        const float v = px < 0 || y < 0 ? border_value<P>(images)
                                        : P::value(samples[px * args.channels + place.channel]);
        to[k] = v - args.centre;
    }
}

struct alignas(8) FftComplex {
    float real, imaginary;
};

// Blocks of kFftThreads · Products numbers, `blocks` for each tile.
template <int Products>
__global__ void __launch_bounds__(kFftThreads)
    fft_multiply(const __grid_constant__ FftArgs args, int blocks) {
    const int tile = static_cast<int>(blockIdx.x) / blocks;
    const int size = args.height * (args.width / 2 + 1);
    const int channel = (args.first_tile + tile) % args.channels;
    const int first = static_cast<int>(blockIdx.x) % blocks * kFftThreads * Products;
    auto* const numbers = reinterpret_cast<FftComplex*>(fft_row(args, tile, 0));
    const auto* const taps =
        reinterpret_cast<const FftComplex*>(args.spectrum) + (args.planes > 1 ? channel : 0) * size;
#pragma unroll
    for (int k = 0; k < Products; ++k) {
        const int at = first + k * kFftThreads + fft_thread();
        if (at >= size) return;
        const FftComplex a = numbers[at];
        const FftComplex b = taps[at];
        numbers[at] = {__fmaf_rn(a.real, b.real, -__fmul_rn(a.imaginary, b.imaginary)),
                       __fmaf_rn(a.real, b.imaginary, __fmul_rn(a.imaginary, b.real))};
    }
}

// A row of a tile's results.
template <class P>
__global__ void __launch_bounds__(kFftThreads) fft_finish(const __grid_constant__ FftArgs args) {
    const ConvImages& images = args.images;
    const int tile = static_cast<int>(blockIdx.x) / args.out_height;
    const int row = static_cast<int>(blockIdx.x) % args.out_height;
    const FftPlace place = fft_place(args, tile);
    const int y = place.y + row;
    if (y >= images.y.length) return;
    auto* const to = reinterpret_cast<typename P::Sample*>(images.dst + static_cast<long long>(y) *
                                                                            images.dst_pitch);
    const float* const sums = fft_row(args, tile, row);
    const int count = min(args.out_width, images.x.length - place.x);
#pragma unroll 4
    for (int k = fft_thread(); k < count; k += kFftThreads) {
        const float sum = sums[k] + args.centre_sum[place.channel];
        to[(place.x + k) * args.channels + place.channel] =
            P::finish(__fmaf_rn(sum, images.scale[place.channel], images.bias[place.channel]),
                      images.max_value);
    }
}

}  // namespace weft
