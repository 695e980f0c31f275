// The kernel separable_reuse: rank-1 taps, both passes in one launch. This form takes any factors;
// separable_small.cuh is quicker for few.
//
// Idea: column sums go to shared memory and never to an intermediate image. Down the columns a
// thread has 16 results in progress: a loaded sample is multiplied by all of its 16 taps before it
// is dropped. Along the rows it is 16 pixels and 16 taps, or eight and eight of several channels.
//
//     samples of a column      x0 x1 x2 … x15 | x16 … x31        a window of 32
//     result 0                 w0 w1 w2 … w15                    + block after block of 16 taps,
//     result 1                    w0 w1 … w14 | w15              the window moves on by 16
//     …
//
// Loads of neighbouring threads are neighbours, and the samples that two threads share, rows above
// and below and the overlap of blocks, come from the L1 cache. Padding zeros are never multiplied:
// infinities in fp32 images stay where the true taps put them.
// Source: register blocking of separable filters, textbook; both passes in one launch as in Lu,
// Zhang, Wang, TPDS 2022
// Launch: block 32 × kSeparableWarps, grid of tiles in one dimension; shared memory of
//   planes · tap_stride + rows · pitch floats
// Limits: one tap set; factors known; up to 511 per side
// Cost per output: height · columns / outputs + width multiplications; (16 + height) / 16 loads of
// a sample from the cache, (16 + width) / 64 vector loads from shared memory
#pragma once

#include "kernels/common/row_feed.cuh"
#include "kernels/common/vector.h"
#include "kernels/separable/separable_reuse.h"

namespace weft {

extern __shared__ float separable_memory[];

// Taps k .. k + 3 times 16 samples each. Taps from `count` on are skipped.
__device__ __forceinline__ void multiply_four(const float* taps, int count, int k,
                                              const float* window, float (&sums)[kSeparableRows]) {
    const Floats<4> four = *reinterpret_cast<const Floats<4>*>(taps + k);
    const bool whole = k + 4 <= count;
#pragma unroll
    for (int t = 0; t < 4; ++t) {
        if (t > 0 && !whole && k + t >= count) break;
#pragma unroll
        for (int o = 0; o < kSeparableRows; ++o)
            sums[o] = __fmaf_rn(four.v[t], window[t + o], sums[o]);
    }
}

// A thread's column of the source: one sample of every row.
template <class P, int C>
class ReusedColumn {
 public:
    // `sample`: index in the row; may be outside.
    __device__ __forceinline__ ReusedColumn(const ConvImages& images, int sample)
        : images_(images) {
        const int lifted = sample + images.x.before * C;  // not negative
        channel_ = lifted % C;
        const int px = source_index(images.x, lifted / C - images.x.before);
        at_ = px < 0 ? -1 : px * C + channel_;
    }

    __device__ __forceinline__ int channel() const { return channel_; }
    // Its sample in a row; -1: the constant border.
    __device__ __forceinline__ int at() const { return at_; }

    // Rows y .. y + 15 as floats.
    __device__ __forceinline__ void load(int y, float* out) const {
        typename P::Sample samples[kSeparableRows];
        if (at_ >= 0 && y >= 0 && y + kSeparableRows <= images_.y.length) {
            const std::byte* row = images_.src + static_cast<long long>(y) * images_.src_pitch +
                                   at_ * static_cast<int>(sizeof(typename P::Sample));
#pragma unroll
            for (int r = 0; r < kSeparableRows; ++r, row += images_.src_pitch)
                samples[r] = *reinterpret_cast<const typename P::Sample*>(row);
#pragma unroll
            for (int r = 0; r < kSeparableRows; ++r) out[r] = P::to_float(P::bits(samples[r]), 0);
            return;
        }
        int source[kSeparableRows];
#pragma unroll
        for (int r = 0; r < kSeparableRows; ++r) source[r] = source_index(images_.y, y + r);
#pragma unroll
        for (int r = 0; r < kSeparableRows; ++r)
            samples[r] = reinterpret_cast<const typename P::Sample*>(
                images_.src +
                static_cast<long long>(max(source[r], 0)) * images_.src_pitch)[max(at_, 0)];
#pragma unroll
        for (int r = 0; r < kSeparableRows; ++r)
            out[r] = at_ < 0 || source[r] < 0 ? border_value<P>(images_)
                                              : P::to_float(P::bits(samples[r]), 0);
    }

 private:
    const ConvImages& images_;
    int at_;
    int channel_;
};

// 16 results of a column from output row y on.
template <class P, int C>
__device__ __forceinline__ void sum_column(const SeparableReuseArgs& args,
                                           const ReusedColumn<P, C>& column, int y,
                                           float (&sums)[kSeparableRows]) {
    const float* const taps = separable_memory + args.row_stride +
                              (args.planes > 1 ? column.channel() * args.tap_stride : 0);
    float window[2 * kSeparableRows];
#pragma unroll
    for (int o = 0; o < kSeparableRows; ++o) sums[o] = 0.0F;
    y -= args.images.y.before;
    column.load(y, window);
#pragma unroll 1
    for (int first = 0; first < args.height; first += kSeparableRows) {
        if (first + 1 < args.height)
            column.load(y + first + kSeparableRows, window + kSeparableRows);
#pragma unroll
        for (int k = 0; k < kSeparableRows; k += 4)
            if (first + k < args.height)
                multiply_four(taps, args.height, first + k, window + k, sums);
#pragma unroll
        for (int o = 0; o < kSeparableRows; ++o) window[o] = window[o + kSeparableRows];
    }
}

// All threads of the block compute the column sums of its rows.
template <class P, int C>
__device__ __forceinline__ void columns_to_shared(const SeparableReuseArgs& args, int first, int y0,
                                                  float* between) {
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
#pragma unroll 1
    for (int column = thread; column < args.columns; column += 32 * kSeparableWarps) {
        const ReusedColumn<P, C> source(args.images, first - args.images.x.before * C + column);
#pragma unroll 1
        for (int r = 0; r < args.rows; r += kSeparableRows) {
            float sums[kSeparableRows];
            sum_column<P, C>(args, source, y0 + r, sums);
#pragma unroll
            for (int o = 0; o < kSeparableRows; ++o)
                between[(r + o) * args.pitch + column] = sums[o];
        }
    }
}

template <int Count>
__device__ __forceinline__ void read_floats(const float* from, float* to) {
#pragma unroll
    for (int j = 0; j < Count; j += 4) {
        const Floats<4> four = *reinterpret_cast<const Floats<4>*>(from + j);
#pragma unroll
        for (int i = 0; i < 4; ++i) to[j + i] = four.v[i];
    }
}

// Taps k .. k + 3 of every channel times its samples; `at`: offset in the window, in pixels.
template <int C>
__device__ __forceinline__ void multiply_channels(
    const SeparableReuseArgs& args, int k, int at,
    const float (&window)[2 * kSeparablePixels<C> * C], float (&sums)[kSeparablePixels<C> * C]) {
    const bool whole = k + 4 <= args.width;
    const float* const taps = separable_memory + k;
    Floats<4> four = *reinterpret_cast<const Floats<4>*>(taps);
#pragma unroll
    for (int c = 0; c < C; ++c) {
        if (c > 0 && args.planes > 1)
            four = *reinterpret_cast<const Floats<4>*>(taps + c * args.tap_stride);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            if (t > 0 && !whole && k + t >= args.width) break;
#pragma unroll
            for (int px = 0; px < kSeparablePixels<C>; ++px) {
                float& sum = sums[px * C + c];
                sum = __fmaf_rn(four.v[t], window[(at + t + px) * C + c], sum);
            }
        }
    }
}

// Some pixels of a row; `from`: the first sample that they need.
template <int C>
__device__ __forceinline__ void sum_row(const SeparableReuseArgs& args, const float* from,
                                        float (&sums)[kSeparablePixels<C> * C]) {
    constexpr int kSamples = kSeparablePixels<C> * C;
    float window[2 * kSamples];
#pragma unroll
    for (int v = 0; v < kSamples; ++v) sums[v] = 0.0F;
    read_floats<kSamples>(from, window);
#pragma unroll 1
    for (int first = 0; first < args.width; first += kSeparablePixels<C>) {
        from += kSamples;
        if (first + 1 < args.width) read_floats<kSamples>(from, window + kSamples);
#pragma unroll
        for (int k = 0; k < kSeparablePixels<C>; k += 4) {
            if (first + k >= args.width) continue;
            multiply_channels<C>(args, first + k, k, window, sums);
        }
#pragma unroll
        for (int v = 0; v < kSamples; ++v) window[v] = window[v + kSamples];
    }
}

template <class P, int C>
__device__ __forceinline__ void rows_to_image(const SeparableReuseArgs& args, int first, int y0,
                                              const float* between) {
    constexpr int kSamples = kSeparablePixels<C> * C;
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    const int groups = args.rows / 8;  // groups of eight rows, one per warp
    const int row = warp % groups * 8 + lane % 8;
    const int step = kSeparableWarps / groups * 4;
#pragma unroll 1
    for (int block = warp / groups * 4 + lane / 8; block * kSamples < args.outputs; block += step) {
        float sums[kSamples];
        sum_row<C>(args, between + row * args.pitch + block * kSamples, sums);
        store_block<P, C, kSamples>(args.images, args.dst_aligned, y0 + row,
                                    first + block * kSamples, sums);
    }
}

template <class P, int C>
__global__ void __launch_bounds__(32 * kSeparableWarps, C == 1 ? 3 : 2)
    separable_reuse(const __grid_constant__ SeparableReuseArgs args) {
    const int first = static_cast<int>(blockIdx.x) % args.tiles_x * args.outputs;
    const int y0 = static_cast<int>(blockIdx.x) / args.tiles_x * args.rows;
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    for (int k = thread; k < args.planes * args.tap_stride; k += 32 * kSeparableWarps)
        separable_memory[k] = args.taps[k];
    __syncthreads();
    float* const between = separable_memory + args.planes * args.tap_stride;
    columns_to_shared<P, C>(args, first, y0, between);
    __syncthreads();
    rows_to_image<P, C>(args, first, y0, between);
}

}  // namespace weft
