// column_row_reuse for depthwise layers in nchw: every input element leaves global memory once.
//
// Idea: planes are contiguous, so the rows that a block needs, of one plane or of many small ones,
// are one run of memory. The block copies it to shared memory in 16-byte vectors, all at once and
// asynchronously, and the same run of its next image while it computes. A thread computes a tile of
// V × R outputs: it walks down the input rows, reads each into a window of registers once and
// multiplies it with every tap row that needs it.
//
//     a row's threads   |--- V ---|--- V ---|        window of a thread: (V - 1) S + K elements
//     thread 0        PP|.........|PP
//     thread 1                  PP|.........|PP      PP: from the neighbours' elements, or zeros
//
// The sums take the place of the input in shared memory and leave it as vectors, too. At stride 1
// and V = R = 7 the first elements of neighbouring tiles are in different banks, also across rows
// and planes, when planes are multiples of seven; so no lane idles on 7×7 and 14×14 planes, and
// none waits. The weights stay in registers: a block's channels are the same in all its images.
// Source: Lu, Zhang, Wang, TPDS 2022 (rows and columns reused, planes distributed); the run of
// memory and the tiles ours
// Launch: blocks of up to 256 threads, a warp where rows allow it, each for `block_strips` strips
// of R output rows of `block_images` images; shared memory for one or two images' input or output,
// whichever is larger
// Limits: 3×3, 5×5 and 7×7 taps, stride 1 and 2, no dilation
// Cost per output at stride 1: (1 + (K - 1) / 7) (1 + (K - 1) / V) reads of shared memory, one
// write
#pragma once

#include "kernels/common/elements.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/layer_depthwise.h"

namespace weft {

extern __shared__ Words<4> plane_tile[];

template <class Element, int K, int S, bool WholeGroups>
struct PlaneForm {
    using E = Element;
    using Stored = typename E::Stored;
    static constexpr int kTaps = K, kStride = S, kOutputs = depthwise_outputs(K);
    static constexpr int kRows = plane_rows(K, S);
    static constexpr bool kWholeGroups = WholeGroups;
    static constexpr int kWindow = (kOutputs - 1) * S + K;
    static constexpr int kWindowRows = (kRows - 1) * S + K;
    static constexpr unsigned kVector = 16 / sizeof(Stored);
};

// A run of a tensor's elements, in shared memory from its first whole vector, `start`, on.
struct Run {
    unsigned begin, end, start;
};

template <class F>
__device__ __forceinline__ Run run_of(unsigned begin, unsigned length) {
    return {begin, begin + length, begin / F::kVector * F::kVector};
}

// A thread's tile of outputs, the same in all of the block's images: the first one's place in its
// image, and where the window of input begins.
struct PlaneTile {
    int channel, x, y;
    int top, left;
    bool active, first_group, last_group;
};

// The block's strips in an image, first and one past the last.
struct PlaneBlock {
    int first, end;
};

template <class F>
__device__ __forceinline__ PlaneTile tile_of(const DepthwiseArgs& a, const PlaneBlock& block,
                                             int thread) {
    const int strip = min(block.first + thread / a.groups, block.end - 1);
    const int group = thread % a.groups;
    PlaneTile tile{};
    tile.channel = strip / a.strips;
    tile.x = group * F::kOutputs;
    tile.y = strip % a.strips * F::kRows;
    tile.top = tile.y * F::kStride - a.padding_y;
    tile.left = tile.x * F::kStride - a.padding_x;
    tile.active = block.first + thread / a.groups < block.end;
    tile.first_group = group == 0;
    tile.last_group = group == a.groups - 1;
    return tile;
}

// The input rows of an image that the block needs, counted through its planes: at least one.
template <class F>
__device__ __forceinline__ Run input_rows(const DepthwiseArgs& a, const PlaneBlock& block) {
    const int last = block.end - 1;
    const int top = block.first % a.strips * F::kRows * F::kStride - a.padding_y;
    const int bottom = last % a.strips * F::kRows * F::kStride - a.padding_y + F::kWindowRows - 1;
    const int begin = block.first / a.strips * a.height + min(max(top, 0), a.height - 1);
    const int end = last / a.strips * a.height + min(max(bottom, 0), a.height - 1) + 1;
    return {static_cast<unsigned>(begin), static_cast<unsigned>(end), 0};
}

template <class F>
__device__ __forceinline__ Run output_rows(const DepthwiseArgs& a, const PlaneBlock& block) {
    const int last = block.end - 1;
    const int bottom = min((last % a.strips + 1) * F::kRows, a.out_height);
    const int begin = block.first / a.strips * a.out_height + block.first % a.strips * F::kRows;
    return {static_cast<unsigned>(begin),
            static_cast<unsigned>(last / a.strips * a.out_height + bottom), 0};
}

// The elements of `rows` in image `n`.
template <class F>
__device__ __forceinline__ Run run_in_image(const Run& rows, int n, int image_rows, int width) {
    const auto first = static_cast<unsigned>(n) * static_cast<unsigned>(image_rows) + rows.begin;
    return run_of<F>(first * static_cast<unsigned>(width),
                     (rows.end - rows.begin) * static_cast<unsigned>(width));
}

// All threads start to copy the run. Only the tensor's last vector may be cut.
template <class F>
__device__ __forceinline__ void fetch_run(const DepthwiseArgs& a, const Run& run, int thread,
                                          int threads, Words<4>* tile) {
    const auto* const input = static_cast<const typename F::Stored*>(a.input) + run.start;
    const unsigned length = static_cast<unsigned>(a.batch) * static_cast<unsigned>(a.channels) *
                                static_cast<unsigned>(a.height) * static_cast<unsigned>(a.width) -
                            run.start;
    const unsigned vectors = (run.end - run.start + F::kVector - 1) / F::kVector;
    const unsigned whole = length / F::kVector;
    for (unsigned k = static_cast<unsigned>(thread); k < vectors;
         k += static_cast<unsigned>(threads)) {
        if (k < whole)
            copy_vector(tile + k, input + k * F::kVector);
        else
            copy_part(tile + k, input + k * F::kVector,
                      static_cast<int>(length % F::kVector * sizeof(typename F::Stored)));
    }
}

// All threads write the run from shared memory. Other blocks write the rest of its first and
// last vector.
template <class F>
__device__ __forceinline__ void store_run(const DepthwiseArgs& a, const Run& run, int thread,
                                          int threads, const Words<4>* tile) {
    auto* const output = static_cast<typename F::Stored*>(a.output);
    const auto* const elements = reinterpret_cast<const typename F::Stored*>(tile);
    const unsigned first = (run.begin + F::kVector - 1) / F::kVector;  // whole vectors
    const unsigned end = run.end / F::kVector;
    const unsigned start = run.start / F::kVector;
    const auto lane = static_cast<unsigned>(thread);
    for (unsigned k = first + lane; k < end; k += static_cast<unsigned>(threads))
        move_vector(output + k * F::kVector, tile + k - start);
    if (lane >= F::kVector) return;
    const unsigned head = run.start + lane;
    if (head >= run.begin && head < run.end && head < first * F::kVector)
        output[head] = elements[head - run.start];
    const unsigned tail = end * F::kVector + lane;
    if (end >= first && tail < run.end) output[tail] = elements[tail - run.start];
}

// Whether element i of the window is inside the row.
template <class F>
__device__ __forceinline__ bool inside(const DepthwiseArgs& a, const PlaneTile& tile, int i) {
    constexpr int kRadius = F::kTaps / 2;
    if (F::kWholeGroups)
        return (i >= kRadius || !tile.first_group) &&
               (i < F::kOutputs * F::kStride + kRadius || !tile.last_group);
    return tile.left + i >= 0 && tile.left + i < a.width;
}

// The place of element `x` of a row in shared memory. Unsigned: padding begins before the row.
__device__ __forceinline__ int tile_offset(int row, int width, int x, const Run& run) {
    return static_cast<int>(static_cast<unsigned>(row) * static_cast<unsigned>(width) +
                            static_cast<unsigned>(x) - run.start);
}

template <class F>
using PlaneSums = float[F::kRows][F::kOutputs];

// `input`: the element of shared memory that the window of the tile's first row begins with.
template <class F>
__device__ __forceinline__ void sum_tile(const DepthwiseArgs& a, const PlaneTile& tile,
                                         const typename F::Stored* input,
                                         const float (&weights)[F::kTaps * F::kTaps],
                                         PlaneSums<F>& sums) {
#pragma unroll
    for (int r = 0; r < F::kWindowRows; ++r) {
        if (tile.top + r < 0 || tile.top + r >= a.height) continue;
        float window[F::kWindow];
#pragma unroll
        for (int i = 0; i < F::kWindow; ++i)
            window[i] = inside<F>(a, tile, i) ? F::E::value(input[r * a.width + i]) : 0.0F;
#pragma unroll
        for (int o = 0; o < F::kRows; ++o) {
            const int j = r - o * F::kStride;
            if (j < 0 || j >= F::kTaps) continue;
#pragma unroll
            for (int i = 0; i < F::kTaps; ++i) {
#pragma unroll
                for (int v = 0; v < F::kOutputs; ++v)
                    sums[o][v] = __fmaf_rn(weights[j * F::kTaps + i], window[v * F::kStride + i],
                                           sums[o][v]);
            }
        }
    }
}

// Stores the sums to shared memory, where the run of outputs is assembled.
template <class F>
__device__ __forceinline__ void place_sums(const DepthwiseArgs& a, const PlaneTile& tile,
                                           const PlaneSums<F>& sums, typename F::Stored* output) {
#pragma unroll
    for (int o = 0; o < F::kRows; ++o) {
        if (tile.y + o >= a.out_height) return;
#pragma unroll
        for (int v = 0; v < F::kOutputs; ++v)
            if (F::kWholeGroups || tile.x + v < a.out_width)
                output[o * a.out_width + v] = F::E::stored(sums[o][v]);
    }
}

template <class F>
__device__ __forceinline__ void load_weights(const DepthwiseArgs& a, int channel,
                                             float (&weights)[F::kTaps * F::kTaps]) {
#pragma unroll
    for (int t = 0; t < F::kTaps * F::kTaps; ++t) weights[t] = a.weights[t * a.channels + channel];
}

template <class F>
__global__ void __launch_bounds__(kMaxPlaneThreads, 2)
    depthwise_planes(const __grid_constant__ DepthwiseArgs a) {
    using Stored = typename F::Stored;
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const int threads = (a.block_strips * a.groups + 31) / 32 * 32;
    const int first_strip = static_cast<int>(blockIdx.x) % a.tiles * a.block_strips;
    const PlaneBlock block{first_strip, min(first_strip + a.block_strips, a.channels * a.strips)};
    const int first_image = static_cast<int>(blockIdx.x) / a.tiles * a.block_images;
    const int images = min(a.block_images, a.batch - first_image);
    const PlaneTile tile = tile_of<F>(a, block, thread);
    const Run in_rows = input_rows<F>(a, block);
    const Run out_rows = output_rows<F>(a, block);

    const auto stage = [&](int k) { return plane_tile + k % a.stages * a.stage_vectors; };
    const auto in_run = [&](int k) {
        return run_in_image<F>(in_rows, first_image + k, a.channels * a.height, a.width);
    };
    const auto fetch = [&](int k) {
        if (k < images) fetch_run<F>(a, in_run(k), thread, threads, stage(k));
        close_copies();
    };
    for (int k = 0; k < a.stages; ++k) fetch(k);
    float weights[F::kTaps * F::kTaps];
    load_weights<F>(a, tile.channel, weights);

#pragma unroll 1
    for (int k = 0; k < images; ++k) {
        a.stages == 2 ? wait_copies_before<1>() : wait_copies_before<0>();
        __syncthreads();
        PlaneSums<F> sums{};
        const int in_row = ((first_image + k) * a.channels + tile.channel) * a.height + tile.top;
        const auto* const input = reinterpret_cast<const Stored*>(stage(k));
        if (tile.active)
            sum_tile<F>(a, tile, input + tile_offset(in_row, a.width, tile.left, in_run(k)),
                        weights, sums);
        __syncthreads();
        const Run out =
            run_in_image<F>(out_rows, first_image + k, a.channels * a.out_height, a.out_width);
        const int out_row = ((first_image + k) * a.channels + tile.channel) * a.out_height + tile.y;
        auto* const output = reinterpret_cast<Stored*>(stage(k));
        if (tile.active)
            place_sums<F>(a, tile, sums, output + tile_offset(out_row, a.out_width, tile.x, out));
        __syncthreads();
        store_run<F>(a, out, thread, threads, stage(k));
        __syncthreads();
        fetch(k + a.stages);
    }
}

}  // namespace weft
