// column_row_reuse for depthwise layers in nchw on planes of 7×7, the last ones of networks for
// 224×224 images: one thread per plane.
//
// Idea: 32 planes are one run of memory that begins at a multiple of 16 bytes. A warp copies it to
// shared memory; a lane reads its plane's rows once each, multiplies them with every tap row that
// needs them, and overwrites its inputs, which no other lane reads, with its outputs. The window's
// ends are known when the kernel is compiled, so zeros are neither made nor multiplied. Planes are
// an odd number of words apart: no two lanes meet in a bank. No barrier but the warp's.
// Source: as layer_planes.cuh; the plane as a tile ours
// Launch: blocks of 32 × kSmallWarps
// Limits: 7×7 planes, 3×3 and 5×5 taps, stride 1, padding that keeps the size
// Cost per output: one read and one write of shared memory
#pragma once

#include "kernels/common/async_copy.cuh"
#include "kernels/common/early_launch.cuh"
#include "kernels/common/elements.cuh"
#include "kernels/common/quotient.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/layer_depthwise.h"

namespace weft {

extern __shared__ Words<4> small_planes[];

template <class Element, int K>
struct SmallForm {
    using E = Element;
    using Stored = typename E::Stored;
    static constexpr int kTaps = K, kSide = kSmallSide, kArea = kSide * kSide, kRadius = K / 2;
    static constexpr int kWarpVectors = 32 * kArea * static_cast<int>(sizeof(Stored)) / 16;
};

// A warp's planes: elements of input and output from `first` on.
struct SmallRun {
    long long first;
    int vectors;  // whole ones
    int rest;     // elements after them, at the tensor's end
};

template <class F>
__device__ __forceinline__ SmallRun small_run(const DepthwiseArgs& a, unsigned first_plane) {
    constexpr int kVector = 16 / static_cast<int>(sizeof(typename F::Stored));
    const int planes = min(32, static_cast<int>(a.planes - first_plane));
    const int elements = planes * F::kArea;
    return {static_cast<long long>(first_plane) * F::kArea, elements / kVector, elements % kVector};
}

// Calls move(k) for each of this lane's vectors k of the run; if the run is full, only the last
// ones are tested.
template <class F, class Move>
__device__ __forceinline__ void for_vectors(const SmallRun& run, const Move& move) {
    const auto lane = static_cast<int>(threadIdx.x);
    if (run.vectors == F::kWarpVectors) {
#pragma unroll
        for (int k = 0; k < F::kWarpVectors; k += 32)
            if (k + 32 <= F::kWarpVectors || k + lane < F::kWarpVectors) move(k + lane);
    } else {
#pragma unroll 1
        for (int k = lane; k < run.vectors; k += 32) move(k);
    }
}

template <class F>
__device__ __forceinline__ void fetch_small(const DepthwiseArgs& a, const SmallRun& run,
                                            Words<4>* tile) {
    const auto* const from = reinterpret_cast<const Words<4>*>(
        static_cast<const typename F::Stored*>(a.input) + run.first);
    for_vectors<F>(run, [&](int k) { copy_vector(tile + k, from + k); });
    if (run.rest > 0 && threadIdx.x == 0)
        copy_part(tile + run.vectors, from + run.vectors,
                  run.rest * static_cast<int>(sizeof(typename F::Stored)));
    close_copies();
}

template <class F>
__device__ __forceinline__ void store_small(const DepthwiseArgs& a, const SmallRun& run,
                                            const Words<4>* tile) {
    auto* const to =
        reinterpret_cast<Words<4>*>(static_cast<typename F::Stored*>(a.output) + run.first);
    for_vectors<F>(run, [&](int k) { move_vector(to + k, tile + k); });
    const auto lane = static_cast<int>(threadIdx.x);
    if (lane >= run.rest) return;
    const auto* const rest = reinterpret_cast<const typename F::Stored*>(tile + run.vectors);
    reinterpret_cast<typename F::Stored*>(to + run.vectors)[lane] = rest[lane];
}

// Adds row `r` of the plane to the sums of every output row that needs it.
template <class F>
__device__ __forceinline__ void add_small_row(const float (&weights)[F::kTaps * F::kTaps], int r,
                                              const float (&row)[F::kSide],
                                              float (&sums)[F::kSide][F::kSide]) {
#pragma unroll
    for (int o = 0; o < F::kSide; ++o) {
        const int j = r - o + F::kRadius;
        if (j < 0 || j >= F::kTaps) continue;
#pragma unroll
        for (int i = 0; i < F::kTaps; ++i) {
#pragma unroll
            for (int v = 0; v < F::kSide; ++v) {
                const int x = v + i - F::kRadius;
                if (x < 0 || x >= F::kSide) continue;
                sums[o][v] = __fmaf_rn(weights[j * F::kTaps + i], row[x], sums[o][v]);
            }
        }
    }
}

// Output row o takes the place of input row o once the last row that it needs has been read.
template <class F>
__device__ __forceinline__ void convolve_small(const float (&weights)[F::kTaps * F::kTaps],
                                               typename F::Stored* plane) {
    float sums[F::kSide][F::kSide] = {};
#pragma unroll
    for (int r = 0; r < F::kSide; ++r) {
        float row[F::kSide];
#pragma unroll
        for (int x = 0; x < F::kSide; ++x) row[x] = F::E::value(plane[r * F::kSide + x]);
        add_small_row<F>(weights, r, row, sums);
#pragma unroll
        for (int o = 0; o < F::kSide; ++o) {
            const int last = o + F::kRadius < F::kSide ? o + F::kRadius : F::kSide - 1;
            if (r != last) continue;
#pragma unroll
            for (int x = 0; x < F::kSide; ++x) plane[o * F::kSide + x] = F::E::stored(sums[o][x]);
        }
    }
}

template <class F>
__global__ void __launch_bounds__(32 * kSmallWarps)
    depthwise_small_planes(const __grid_constant__ DepthwiseArgs a) {
    const unsigned first = (blockIdx.x * kSmallWarps + threadIdx.y) * 32;
    const unsigned plane = first + threadIdx.x;
    const unsigned channel = remainder_of(plane, a.by_channels);
    float weights[F::kTaps * F::kTaps];
#pragma unroll
    for (int t = 0; t < F::kTaps * F::kTaps; ++t)
        weights[t] = a.weights[static_cast<unsigned>(t * a.channels) + channel];
    let_successor_start();
    wait_for_predecessors();
    if (first >= a.planes) return;  // the whole warp
    Words<4>* const tile = small_planes + threadIdx.y * F::kWarpVectors;
    const SmallRun run = small_run<F>(a, first);
    fetch_small<F>(a, run, tile);
    wait_copies_before<0>();
    __syncwarp();
    if (plane < a.planes)
        convolve_small<F>(weights,
                          reinterpret_cast<typename F::Stored*>(tile) + threadIdx.x * F::kArea);
    __syncwarp();
    store_small<F>(a, run, tile);
}

}  // namespace weft
