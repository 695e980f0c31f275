// column_row_reuse for depthwise layers in nhwc: a lane is a channel, so a warp's elements are
// always contiguous.
//
// Idea: a warp walks down a strip of V output columns of 32 channels. The rows of its window come
// through a ring in shared memory by asynchronous copies of 16 bytes, several rows ahead; elements
// outside the plane are copied as zeros. Each row is read into registers once and multiplied with
// every tap row that needs it: A = ⌈K / S⌉ rows of outputs are in progress at a time. They roll:
// the first multiplication of a step reads sums m - 1 and writes sums m, so the shift costs
// nothing.
//
//     step t takes rows t S .. t S + S - 1     K = 3; the tap rows that meet the input rows
//     sums 0: output t       S = 1: 0                  S = 2: 0 and 1
//     sums 1: output t - 1          1                         2 -> stored
//     sums 2: output t - 2          2 -> stored
//
// Warps of a block take neighbouring columns: the overlap of their windows meets in the caches.
// Source: Lu, Zhang, Wang, TPDS 2022; CUTLASS example 46 for the layout
// Launch: block 32 × 4, one warp per strip; shared memory for a ring of rows per warp
// Limits: 3×3, 5×5 and 7×7 taps, stride 1 and 2, no dilation
// Cost per output at stride 1: 1 + (K - 1) / V reads of shared memory, one store of 32 neighbours
#pragma once

#include "kernels/common/elements.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/layer_depthwise.h"

namespace weft {

extern __shared__ Words<4> pixel_rows[];

template <class Element, int K, int S, bool WholeVectors>
struct PixelForm {
    using E = Element;
    using Stored = typename E::Stored;
    static constexpr int kTaps = K, kStride = S, kOutputs = depthwise_outputs(K);
    static constexpr bool kWholeVectors = WholeVectors;
    static constexpr int kWindow = (kOutputs - 1) * S + K;
    static constexpr int kUnderWay = (K + S - 1) / S;
    static constexpr int kRing = pixel_ring(S);
    static constexpr int kVector = 16 / static_cast<int>(sizeof(Stored));
    static constexpr int kPixelVectors = 32 / kVector;
    static constexpr int kRowVectors = kWindow * kPixelVectors;
};

// A warp's strip. `left`, `top`: the window's first column and row in the plane.
struct PixelStrip {
    int n, first_channel, x, y, rows;
    int left, top;
};

template <class F>
__device__ __forceinline__ PixelStrip pixel_strip(const DepthwiseArgs& a, int unit) {
    PixelStrip s{};
    s.x = unit % a.groups * F::kOutputs;
    unit /= a.groups;
    s.y = unit % a.strips * a.strip_rows;
    unit /= a.strips;
    s.first_channel = unit % a.chunks * 32;
    s.n = unit / a.chunks;
    s.rows = min(a.strip_rows, a.out_height - s.y);
    s.left = s.x * F::kStride - a.padding_x;
    s.top = s.y * F::kStride - a.padding_y;
    return s;
}

// Starts to copy row `r` of the strip, which is inside the plane, to a slot of the ring. Called by
// the whole warp.
template <class F>
__device__ __forceinline__ void fetch_row(const DepthwiseArgs& a, const PixelStrip& s, int r,
                                          int lane, Words<4>* slot) {
    const auto* const row =
        static_cast<const typename F::Stored*>(a.input) +
        (static_cast<long long>(s.n) * a.height + s.top + r) * a.width * a.channels;
    if (F::kWholeVectors) {
#pragma unroll
        for (int first = 0; first < F::kRowVectors; first += 32) {
            const int k = first + lane;
            if (k >= F::kRowVectors) break;
            const int x = s.left + k / F::kPixelVectors;
            const int channel = s.first_channel + k % F::kPixelVectors * F::kVector;
            const bool there = x >= 0 && x < a.width && channel < a.channels;
            copy_part(slot + k, there ? row + x * a.channels + channel : row, there ? 16 : 0);
        }
    } else {
        auto* const elements = reinterpret_cast<typename F::Stored*>(slot);
        const int channel = s.first_channel + lane;
#pragma unroll 1
        for (int i = 0; i < F::kWindow; ++i) {
            const int x = s.left + i;
            const bool there = x >= 0 && x < a.width && channel < a.channels;
            elements[i * 32 + lane] = there ? row[x * a.channels + channel] : typename F::Stored{};
        }
    }
}

template <class F>
using PixelSums = float[F::kUnderWay][F::kOutputs];

// Adds row `d` of a step to the sums of every output row in progress. `row`: the lane's elements.
template <class F>
__device__ __forceinline__ void add_row(const float (&weights)[F::kTaps * F::kTaps], int d,
                                        const typename F::Stored* row, PixelSums<F>& sums) {
    float window[F::kWindow];
#pragma unroll
    for (int i = 0; i < F::kWindow; ++i) window[i] = F::E::value(row[i * 32]);
#pragma unroll
    for (int m = F::kUnderWay - 1; m >= 0; --m) {
        const int j = d + F::kStride * m;
        if (j >= F::kTaps) continue;
#pragma unroll
        for (int i = 0; i < F::kTaps; ++i) {
            const float w = weights[j * F::kTaps + i];
#pragma unroll
            for (int v = 0; v < F::kOutputs; ++v) {
                const float x = window[v * F::kStride + i];
                if (d > 0 || i > 0)
                    sums[m][v] = __fmaf_rn(w, x, sums[m][v]);
                else
                    sums[m][v] = m > 0 ? __fmaf_rn(w, x, sums[m - 1][v]) : __fmul_rn(w, x);
            }
        }
    }
}

// Shifts the sums if the first row of a step is outside the plane.
template <class F>
__device__ __forceinline__ void shift_sums(PixelSums<F>& sums) {
#pragma unroll
    for (int m = F::kUnderWay - 1; m >= 0; --m)
#pragma unroll
        for (int v = 0; v < F::kOutputs; ++v) sums[m][v] = m > 0 ? sums[m - 1][v] : 0.0F;
}

template <class F>
__device__ __forceinline__ void store_row(const DepthwiseArgs& a, const PixelStrip& s, int channel,
                                          int y, const float (&sums)[F::kOutputs]) {
    auto* const row =
        static_cast<typename F::Stored*>(a.output) +
        ((static_cast<long long>(s.n) * a.out_height + y) * a.out_width + s.x) * a.channels +
        channel;
#pragma unroll
    for (int v = 0; v < F::kOutputs; ++v)
        if (s.x + v < a.out_width) row[v * a.channels] = F::E::stored(sums[v]);
}

template <class F>
__global__ void __launch_bounds__(32 * kPixelWarps, F::kTaps == 3   ? 6
                                                    : F::kTaps == 5 ? 4
                                                                    : 3)
    depthwise_pixels(const __grid_constant__ DepthwiseArgs a) {
    const auto lane = static_cast<int>(threadIdx.x);
    const PixelStrip s =
        pixel_strip<F>(a, static_cast<int>(blockIdx.x * kPixelWarps + threadIdx.y));
    if (s.n >= a.batch) return;  // the whole warp
    const int channel = s.first_channel + lane;
    const bool active = channel < a.channels;
    Words<4>* const ring = pixel_rows + threadIdx.y * (F::kRing * F::kRowVectors);
    const int needed = (s.rows - 1) * F::kStride + F::kTaps;
    const auto is_row = [&](int r) { return r < needed && s.top + r >= 0 && s.top + r < a.height; };
    const auto fetch = [&](int r, int slot) {
        if (is_row(r)) fetch_row<F>(a, s, r, lane, ring + slot * F::kRowVectors);
        close_copies();
    };
    for (int r = 0; r < F::kRing - 1; ++r) fetch(r, r);
    float weights[F::kTaps * F::kTaps];
#pragma unroll
    for (int t = 0; t < F::kTaps * F::kTaps; ++t)
        weights[t] = active ? a.weights[t * a.channels + channel] : 0.0F;

    PixelSums<F> sums{};
    int slot = 0;
#pragma unroll 1
    for (int t = 0; t < s.rows + F::kUnderWay - 1; ++t) {
#pragma unroll
        for (int d = 0; d < F::kStride; ++d) {
            const int r = t * F::kStride + d;
            wait_copies_before<F::kRing - 2>();
            __syncwarp();
            const int before = slot == 0 ? F::kRing - 1 : slot - 1;
            fetch(r + F::kRing - 1, before);  // all lanes have read it
            const auto* const row =
                reinterpret_cast<const typename F::Stored*>(ring + slot * F::kRowVectors);
            if (is_row(r))
                add_row<F>(weights, d, row + lane, sums);
            else if (d == 0)
                shift_sums<F>(sums);
            slot = slot == F::kRing - 1 ? 0 : slot + 1;
        }
        const int done = t - (F::kUnderWay - 1);
        if (done >= 0 && active) store_row<F>(a, s, channel, s.y + done, sums[F::kUnderWay - 1]);
    }
}

}  // namespace weft
