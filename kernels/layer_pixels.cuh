// column_row_reuse for depthwise layers in nhwc: a lane is a channel, so a warp's loads and stores
// are 32 neighbouring elements.
//
// Idea: a thread walks down a strip of V output columns of one channel. It loads each input row's
// window of (V - 1) S + K elements once, the next row's while it computes, and multiplies it with
// every tap row that needs it: A = ⌈K / S⌉ rows of outputs are under way at a time. They roll: the
// first multiplication of a step reads sums m - 1 and writes sums m, so the shift costs nothing.
//
//     step t loads rows t S .. t S + S - 1        K = 3, S = 1; the tap row that meets the input
//     row sums 0: output t       0                     S = 2: 0 and 1 sums 1: output t - 1   1 2
//     sums 2: output t - 2   2 -> stored
//
// Warps of a block take neighbouring columns: the windows' overlap meets in the L1 cache.
// Source: Lu, Zhang, Wang, TPDS 2021; CUTLASS example 46 for the layout
// Launch: block 32 × 4, a warp a strip; no shared memory
// Limits: 3×3, 5×5 and 7×7 taps, stride 1 and 2, no dilation
// Cost per output at stride 1: (1 + (K - 1) / V) (1 + (K - 1) / strip) loads, one store
#pragma once

#include "kernels/elements.cuh"
#include "kernels/layer_depthwise.h"

namespace weft {

template <class Element, int K, int S>
struct PixelForm {
    using E = Element;
    using Stored = typename E::Stored;
    static constexpr int kTaps = K, kStride = S, kOutputs = pixel_outputs(K, S);
    static constexpr int kWindow = (kOutputs - 1) * S + K;
    static constexpr int kUnderWay = (K + S - 1) / S;
};

// A warp's strip; `channel` is the lane's.
struct PixelStrip {
    int n, channel, x, y, rows;
};

template <class F>
__device__ __forceinline__ PixelStrip pixel_strip(const DepthwiseArgs& a, int unit, int lane) {
    PixelStrip s{};
    s.x = unit % a.groups * F::kOutputs;
    unit /= a.groups;
    s.y = unit % a.strips * a.strip_rows;
    unit /= a.strips;
    s.channel = unit % a.chunks * 32 + lane;
    s.n = unit / a.chunks;
    s.rows = min(a.strip_rows, a.out_height - s.y);
    return s;
}

template <class F>
using PixelWindow = typename F::Stored[F::kWindow];

template <class F>
__device__ __forceinline__ void load_window(const DepthwiseArgs& a, const PixelStrip& s, int y,
                                            PixelWindow<F>& window) {
    const auto* const input = static_cast<const typename F::Stored*>(a.input);
    const int left = s.x * F::kStride - a.padding_x;
    const auto* const row =
        input + (static_cast<long long>(s.n) * a.height + y) * a.width * a.channels + s.channel;
#pragma unroll
    for (int i = 0; i < F::kWindow; ++i) {
        const bool inside = left + i >= 0 && left + i < a.width;
        window[i] =
            inside ? row[static_cast<long long>(left + i) * a.channels] : typename F::Stored{};
    }
}

template <class F>
using PixelSums = float[F::kUnderWay][F::kOutputs];

// Row `d` of a step, into the sums of every output row under way.
template <class F>
__device__ __forceinline__ void add_row(const float (&weights)[F::kTaps * F::kTaps], int d,
                                        const PixelWindow<F>& window, PixelSums<F>& sums) {
    float x[F::kWindow];
#pragma unroll
    for (int i = 0; i < F::kWindow; ++i) x[i] = F::E::value(window[i]);
#pragma unroll
    for (int m = F::kUnderWay - 1; m >= 0; --m) {
        const int j = d + F::kStride * m;
        if (j >= F::kTaps) continue;
#pragma unroll
        for (int i = 0; i < F::kTaps; ++i) {
            const float w = weights[j * F::kTaps + i];
#pragma unroll
            for (int v = 0; v < F::kOutputs; ++v) {
                const float with = x[v * F::kStride + i];
                if (d > 0 || i > 0)
                    sums[m][v] = __fmaf_rn(w, with, sums[m][v]);
                else
                    sums[m][v] = m > 0 ? __fmaf_rn(w, with, sums[m - 1][v]) : __fmul_rn(w, with);
            }
        }
    }
}

// What the first row of a step does when it lies outside the plane.
template <class F>
__device__ __forceinline__ void shift_sums(PixelSums<F>& sums) {
#pragma unroll
    for (int m = F::kUnderWay - 1; m >= 0; --m)
#pragma unroll
        for (int v = 0; v < F::kOutputs; ++v) sums[m][v] = m > 0 ? sums[m - 1][v] : 0.0F;
}

template <class F>
__device__ __forceinline__ void store_row(const DepthwiseArgs& a, const PixelStrip& s, int y,
                                          const float (&sums)[F::kOutputs]) {
    auto* const output = static_cast<typename F::Stored*>(a.output);
    auto* const row =
        output +
        ((static_cast<long long>(s.n) * a.out_height + y) * a.out_width + s.x) * a.channels +
        s.channel;
#pragma unroll
    for (int v = 0; v < F::kOutputs; ++v)
        if (s.x + v < a.out_width)
            row[static_cast<long long>(v) * a.channels] = F::E::stored(sums[v]);
}

template <class F>
__global__ void __launch_bounds__(128) depthwise_pixels(const __grid_constant__ DepthwiseArgs a) {
    const auto unit = static_cast<int>(blockIdx.x * 4 + threadIdx.y);
    const PixelStrip s = pixel_strip<F>(a, unit, static_cast<int>(threadIdx.x));
    if (s.n >= a.batch || s.channel >= a.channels) return;
    float weights[F::kTaps * F::kTaps];
#pragma unroll
    for (int t = 0; t < F::kTaps * F::kTaps; ++t)
        weights[t] = a.weights[t * a.channels + s.channel];

    const int top = s.y * F::kStride - a.padding_y;
    const int needed = (s.rows - 1) * F::kStride + F::kTaps;
    const auto is_row = [&](int r) { return r < needed && top + r >= 0 && top + r < a.height; };
    PixelSums<F> sums{};
    PixelWindow<F> next;
    if (is_row(0)) load_window<F>(a, s, top, next);
#pragma unroll 1
    for (int t = 0; t < s.rows + F::kUnderWay - 1; ++t) {
#pragma unroll
        for (int d = 0; d < F::kStride; ++d) {
            const int r = t * F::kStride + d;
            PixelWindow<F> window;
#pragma unroll
            for (int i = 0; i < F::kWindow; ++i) window[i] = next[i];
            if (is_row(r + 1)) load_window<F>(a, s, top + r + 1, next);
            if (is_row(r))
                add_row<F>(weights, d, window, sums);
            else if (d == 0)
                shift_sums<F>(sums);
        }
        const int done = t - (F::kUnderWay - 1);
        if (done >= 0) store_row<F>(a, s, s.y + done, sums[F::kUnderWay - 1]);
    }
}

}  // namespace weft
