// column_row_reuse for depthwise layers in nchw: every input element leaves global memory once.
//
// Idea: planes lie one behind the other, so the rows that a block needs, of one plane or of many
// small ones, are one run of memory. The block copies it to shared memory in 16-byte vectors, all
// at once and asynchronously: with several blocks on a multiprocessor that keeps more than enough
// loads on their way. Then a thread computes a tile of V × 7 outputs: it walks down the input rows,
// reads each into a window of registers once and multiplies it with every tap row that needs it.
//
//     a row's threads   |--- V ---|--- V ---|        window of a thread: V + K - 1 elements
//     thread 0        PP|.........|PP
//     thread 1                  PP|.........|PP      PP: from the neighbours' elements, or zeros
//
// The sums take the place of the input in shared memory and leave it as vectors, too. With V = 7
// the first elements of neighbouring tiles lie in different banks, also across rows and planes,
// when planes are multiples of seven; so no lane idles on 7×7 and 14×14 planes, and none waits.
// Source: Lu, Zhang, Wang, TPDS 2021 (rows and columns reused, planes shared out); the run of
// memory and the tiles ours
// Launch: blocks of up to 256 threads, each for `block_strips` strips of 7 output rows; shared
// memory for their input or their output, whichever is larger
// Limits: 3×3, 5×5 and 7×7 taps, stride 1 and 2, no dilation
// Cost per output at stride 1: (1 + (K - 1) / 7) (1 + (K - 1) / V) reads of shared memory, one
// write Registers (sm_90, nvcc 13.0, no spills): see layer_planes.cu
#pragma once

#include "kernels/elements.cuh"
#include "kernels/layer_depthwise.h"
#include "kernels/mma.cuh"

namespace weft {

struct alignas(16) TileVector {
    std::uint32_t words[4];
};

extern __shared__ TileVector plane_tile[];

template <class Element, int K, int S, bool WholeGroups>
struct PlaneForm {
    using E = Element;
    using Stored = typename E::Stored;
    static constexpr int kTaps = K, kStride = S, kOutputs = plane_outputs(K);
    static constexpr bool kWholeGroups = WholeGroups;
    static constexpr int kWindow = (kOutputs - 1) * S + K;
    static constexpr int kRows = (kPlaneRows - 1) * S + K;
    static constexpr int kVector = 16 / static_cast<int>(sizeof(Stored));
};

// A run of a tensor's elements; in shared memory it begins at `start`, a whole vector.
struct Run {
    unsigned begin, end, start;
};

template <class F>
__device__ __forceinline__ Run run_of_rows(unsigned first_row, unsigned rows, int width) {
    const unsigned begin = first_row * static_cast<unsigned>(width);
    return {begin, begin + rows * static_cast<unsigned>(width), begin / F::kVector * F::kVector};
}

// A strip of a plane, and its first output row.
struct PlaneStrip {
    int plane, y;
};

__device__ __forceinline__ PlaneStrip plane_strip(const DepthwiseArgs& a, int strip) {
    return {strip / a.strips, strip % a.strips * kPlaneRows};
}

// The input rows that strips `first` to `last` need, never none.
template <class F>
__device__ __forceinline__ Run input_run(const DepthwiseArgs& a, const PlaneStrip& first,
                                         const PlaneStrip& last) {
    const int top = first.y * F::kStride - a.padding_y;
    const int bottom = last.y * F::kStride - a.padding_y + F::kRows - 1;
    const int begin = first.plane * a.height + min(max(top, 0), a.height - 1);
    const int end = last.plane * a.height + min(max(bottom, 0), a.height - 1) + 1;
    return run_of_rows<F>(static_cast<unsigned>(begin), static_cast<unsigned>(end - begin),
                          a.width);
}

template <class F>
__device__ __forceinline__ Run output_run(const DepthwiseArgs& a, const PlaneStrip& first,
                                          const PlaneStrip& last) {
    const int begin = first.plane * a.out_height + first.y;
    const int end = last.plane * a.out_height + min(last.y + kPlaneRows, a.out_height);
    return run_of_rows<F>(static_cast<unsigned>(begin), static_cast<unsigned>(end - begin),
                          a.out_width);
}

// All threads: starts to copy the run. Only the tensor's last vector may be cut.
template <class F>
__device__ __forceinline__ void fetch_run(const DepthwiseArgs& a, const Run& run, int thread,
                                          int threads) {
    const auto* const input = static_cast<const typename F::Stored*>(a.input);
    const unsigned length = static_cast<unsigned>(a.batch) * static_cast<unsigned>(a.channels) *
                            static_cast<unsigned>(a.height) * static_cast<unsigned>(a.width);
    for (unsigned k = static_cast<unsigned>(thread); run.start + k * F::kVector < run.end;
         k += static_cast<unsigned>(threads)) {
        const unsigned at = run.start + k * F::kVector;
        if (at + F::kVector <= length)
            copy_vector(&plane_tile[k], input + at);
        else
            copy_part(&plane_tile[k], input + at,
                      static_cast<int>((length - at) * sizeof(typename F::Stored)));
    }
}

// All threads: writes the run from shared memory; its neighbours share its first and last vector.
template <class F>
__device__ __forceinline__ void store_run(const DepthwiseArgs& a, const Run& run, int thread,
                                          int threads) {
    auto* const output = static_cast<typename F::Stored*>(a.output);
    const auto* const tile = reinterpret_cast<const typename F::Stored*>(plane_tile);
    for (unsigned k = static_cast<unsigned>(thread); run.start + k * F::kVector < run.end;
         k += static_cast<unsigned>(threads)) {
        const unsigned at = run.start + k * F::kVector;
        if (at >= run.begin && at + F::kVector <= run.end) {
            move_vector(output + at, &plane_tile[k]);
        } else {
            for (unsigned i = 0; i < F::kVector; ++i)
                if (at + i >= run.begin && at + i < run.end)
                    output[at + i] = tile[at + i - run.start];
        }
    }
}

// A thread's tile of outputs: column `x` and row `y` of its first.
struct PlaneTile {
    int plane, x, y;
    bool active, first_group, last_group;
};

template <class F>
__device__ __forceinline__ PlaneTile tile_of(const DepthwiseArgs& a, int strip, int group,
                                             int strips) {
    const PlaneStrip s = plane_strip(a, min(strip, strips - 1));
    return {.plane = s.plane,
            .x = group * F::kOutputs,
            .y = s.y,
            .active = strip < strips,
            .first_group = group == 0,
            .last_group = group == a.groups - 1};
}

// Element i of the window lies inside the row.
template <class F>
__device__ __forceinline__ bool inside(const DepthwiseArgs& a, const PlaneTile& tile, int i) {
    constexpr int kRadius = F::kTaps / 2;
    if (F::kWholeGroups)
        return (i >= kRadius || !tile.first_group) &&
               (i < F::kOutputs * F::kStride + kRadius || !tile.last_group);
    const int x = tile.x * F::kStride - a.padding_x + i;
    return x >= 0 && x < a.width;
}

// Where element `x` of a row lies in shared memory. Unsigned: a plane's padding may begin before 0.
__device__ __forceinline__ int tile_offset(int row, int width, int x, const Run& run) {
    return static_cast<int>(static_cast<unsigned>(row) * static_cast<unsigned>(width) +
                            static_cast<unsigned>(x) - run.start);
}

template <class F>
using PlaneSums = float[kPlaneRows][F::kOutputs];

template <class F>
__device__ __forceinline__ void sum_tile(const DepthwiseArgs& a, const Run& run,
                                         const PlaneTile& tile,
                                         const float (&weights)[F::kTaps * F::kTaps],
                                         PlaneSums<F>& sums) {
    const auto* const input = reinterpret_cast<const typename F::Stored*>(plane_tile);
    const int top = tile.y * F::kStride - a.padding_y;
    const int left = tile.x * F::kStride - a.padding_x;
    const int first = tile_offset(tile.plane * a.height + top, a.width, left, run);
#pragma unroll
    for (int r = 0; r < F::kRows; ++r) {
        if (top + r < 0 || top + r >= a.height) continue;
        float window[F::kWindow];
#pragma unroll
        for (int i = 0; i < F::kWindow; ++i)
            window[i] = inside<F>(a, tile, i) ? F::E::value(input[first + r * a.width + i]) : 0.0F;
#pragma unroll
        for (int o = 0; o < kPlaneRows; ++o) {
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

// To shared memory, where the run of outputs takes shape.
template <class F>
__device__ __forceinline__ void place_sums(const DepthwiseArgs& a, const Run& run,
                                           const PlaneTile& tile, const PlaneSums<F>& sums) {
    auto* const output = reinterpret_cast<typename F::Stored*>(plane_tile);
    const int first = tile_offset(tile.plane * a.out_height + tile.y, a.out_width, tile.x, run);
#pragma unroll
    for (int o = 0; o < kPlaneRows; ++o) {
        if (tile.y + o >= a.out_height) return;
#pragma unroll
        for (int v = 0; v < F::kOutputs; ++v)
            if (F::kWholeGroups || tile.x + v < a.out_width)
                output[first + o * a.out_width + v] = F::E::stored(sums[o][v]);
    }
}

template <class F>
__global__ void __launch_bounds__(kMaxPlaneThreads, F::kTaps == 3 ? 3 : 2)
    depthwise_planes(const __grid_constant__ DepthwiseArgs a) {
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const int threads = (a.block_strips * a.groups + 31) / 32 * 32;
    const int first = static_cast<int>(blockIdx.x) * a.block_strips;
    const int strips = min(first + a.block_strips, a.batch * a.channels * a.strips);
    const PlaneStrip begin = plane_strip(a, first);
    const PlaneStrip end = plane_strip(a, strips - 1);
    const Run in = input_run<F>(a, begin, end);
    fetch_run<F>(a, in, thread, threads);

    const PlaneTile tile = tile_of<F>(a, first + thread / a.groups, thread % a.groups, strips);
    float weights[F::kTaps * F::kTaps];
#pragma unroll
    for (int t = 0; t < F::kTaps * F::kTaps; ++t)
        weights[t] = a.weights[t * a.channels + tile.plane % a.channels];
    wait_copies();
    __syncthreads();
    PlaneSums<F> sums{};
    if (tile.active) sum_tile<F>(a, in, tile, weights, sums);
    __syncthreads();
    const Run out = output_run<F>(a, begin, end);
    if (tile.active) place_sums<F>(a, out, tile, sums);
    __syncthreads();
    store_run<F>(a, out, thread, threads);
}

}  // namespace weft
