// column_row_reuse for depthwise layers in nchw whose rows are whole vectors: registers alone.
//
// Idea: a lane holds C neighbouring columns of a strip's input rows, all loaded at once as vectors,
// and a warp as many strips as its lanes take. The rest of a window are the neighbours' columns:
// they come by shuffles, and the last lane, which has no strip, provides the zeros beyond a row's
// ends. Each row is multiplied with every tap row that needs it, and a row of outputs is stored as
// soon as its last input row has arrived. No barrier, no bank, no copy; warps follow each other in
// the order of memory, and start before the preceding kernel has ended.
//
//     lanes of a strip  |- C -|- C -|- C -|- C -|
//     lane 1           R|.....|R                 R columns from lanes 0 and 2
//
// Source: Lu, Zhang, Wang, TPDS 2022 (columns by shuffles, rows in registers); the vectors ours
// Launch: blocks of 32 × kLaneWarps; a warp takes `block_strips` strips of R output rows
// Limits: 3×3 and 5×5 taps, stride 1 and 2, padding that keeps the size, rows of 31 vectors or less
// Cost per output at stride 1: K / C shuffles and loads, (1 + (K - 1) / R) times
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/common/elements.cuh"
#include "kernels/common/quotient.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/layer_depthwise.h"

namespace weft {

// Rows of the window in flight at a time, and blocks per multiprocessor that registers must allow.
// Where multiplying takes long, more warps are worth more than all rows at once; the numbers were
// fastest on an H200.
struct LaneBudget {
    int rows, blocks;
};

constexpr LaneBudget lane_budget(int taps, int stride, bool whole) {
    constexpr int kAllRows = 32;
    if (whole) return {.rows = stride == 1 ? 12 : kAllRows, .blocks = 6};
    return {.rows = kAllRows, .blocks = taps == 5 && stride == 1 ? 5 : 1};
}

template <class Element, int K, int S, int C, bool Whole>
struct LaneForm {
    using E = Element;
    using Stored = typename E::Stored;
    static constexpr int kTaps = K, kStride = S, kColumns = C, kOutputs = C / S;
    static constexpr int kRadius = K / 2;
    static constexpr int kRight = (kOutputs - 1) * S + kRadius - (C - 1);  // columns beyond
    static constexpr int kWindow = kRadius + C + kRight;
    static constexpr int kWeights = padded_taps(K);
    static constexpr bool kWhole = Whole;
    static constexpr int kRows = lane_rows(S, C, Whole);
    static constexpr int kBlocks = lane_budget(K, S, Whole).blocks;
    // Rows of the window, counted from kRadius above the strip, that may lie inside the plane.
    static constexpr int kFirst = Whole ? kRadius : 0;
    static constexpr int kEnd = Whole ? kRadius + kRows * S : (kRows - 1) * S + K;
    static constexpr int kAtOnce = lane_budget(K, S, Whole).rows;
    static constexpr int kUnderWay = kAtOnce < kEnd - kFirst ? kAtOnce : kEnd - kFirst;
};

// A lane's strip: its plane, counted through all images, its first output row and its place among
// the lanes of a row.
struct LaneStrip {
    unsigned plane;
    int channel, y, column;
    bool active, first, last;
};

template <class F>
__device__ __forceinline__ LaneStrip lane_strip(const DepthwiseArgs& a) {
    const unsigned lane = threadIdx.x;
    const unsigned warp = blockIdx.x * kLaneWarps + threadIdx.y;
    const unsigned at = divided(lane, a.by_groups);
    const unsigned strip = warp * static_cast<unsigned>(a.block_strips) + at;
    LaneStrip s{};
    s.plane = F::kWhole ? strip : divided(strip, a.by_strips);
    s.channel = static_cast<int>(remainder_of(s.plane, a.by_channels));
    s.y = F::kWhole ? 0 : static_cast<int>(remainder_of(strip, a.by_strips)) * F::kRows;
    s.column = static_cast<int>(remainder_of(lane, a.by_groups));
    s.active = at < static_cast<unsigned>(a.block_strips) && s.plane < a.planes;
    s.first = s.column == 0;
    s.last = s.column == a.groups - 1;
    return s;
}

template <class F>
__device__ __forceinline__ void load_lane_weights(const DepthwiseArgs& a, int channel,
                                                  float (&weights)[F::kWeights]) {
    const auto* const from =
        reinterpret_cast<const Floats<4>*>(a.weights) + channel * (F::kWeights / 4);
#pragma unroll
    for (int t = 0; t < F::kWeights; t += 4) {
        const Floats<4> four = from[t / 4];
#pragma unroll
        for (int i = 0; i < 4; ++i) weights[t + i] = four.v[i];
    }
}

template <class F>
using LaneRow = Vector<typename F::Stored, F::kColumns>;

// Loads row `r` of the window from `from`; zeros outside the plane.
template <class F>
__device__ __forceinline__ LaneRow<F> load_row(const DepthwiseArgs& a, const LaneStrip& s, int r,
                                               const typename F::Stored* from) {
    const int y = s.y * F::kStride - F::kRadius + r;
    if (s.active && (F::kWhole || (y >= 0 && y < a.height)))
        return *reinterpret_cast<const LaneRow<F>*>(from);
    return {};
}

// A row's window: the lane's own columns and, from its neighbours or the lane of zeros, those next
// to them. Called by the whole warp.
template <class F>
__device__ __forceinline__ void make_window(const LaneStrip& s, const LaneRow<F>& own,
                                            float (&window)[F::kWindow]) {
    constexpr int kZeros = 31;
    const auto lane = static_cast<int>(threadIdx.x);
    const int left = s.first ? kZeros : lane - 1;
    const int right = s.last ? kZeros : lane + 1;
#pragma unroll
    for (int i = 0; i < F::kColumns; ++i) window[F::kRadius + i] = F::E::value(own.v[i]);
#pragma unroll
    for (int i = 0; i < F::kRadius; ++i)
        window[i] = __shfl_sync(~0U, window[F::kColumns + i], left);
#pragma unroll
    for (int i = 0; i < F::kRight; ++i)
        window[F::kRadius + F::kColumns + i] = __shfl_sync(~0U, window[F::kRadius + i], right);
}

template <class F>
__device__ __forceinline__ void store_outputs(const float (&sums)[F::kOutputs],
                                              typename F::Stored* to) {
    Vector<typename F::Stored, F::kOutputs> out;
#pragma unroll
    for (int v = 0; v < F::kOutputs; ++v) out.v[v] = F::E::stored(sums[v]);
    *reinterpret_cast<Vector<typename F::Stored, F::kOutputs>*>(to) = out;
}

// Adds row `r` of the window to the sums of every output row that needs it.
template <class F>
__device__ __forceinline__ void add_window(const float (&weights)[F::kWeights], int r,
                                           const float (&window)[F::kWindow],
                                           float (&sums)[F::kRows][F::kOutputs]) {
#pragma unroll
    for (int o = 0; o < F::kRows; ++o) {
        const int j = r - o * F::kStride;
        if (j < 0 || j >= F::kTaps) continue;
#pragma unroll
        for (int i = 0; i < F::kTaps; ++i) {
#pragma unroll
            for (int v = 0; v < F::kOutputs; ++v)
                sums[o][v] =
                    __fmaf_rn(weights[j * F::kTaps + i], window[v * F::kStride + i], sums[o][v]);
        }
    }
}

template <class F>
__global__ void __launch_bounds__(32 * kLaneWarps, F::kBlocks)
    depthwise_lanes(const __grid_constant__ DepthwiseArgs a) {
    const LaneStrip s = lane_strip<F>(a);
    float weights[F::kWeights] = {};
    if (s.active) load_lane_weights<F>(a, s.channel, weights);
    let_successor_start();
    wait_for_predecessors();
    const auto* in =
        static_cast<const typename F::Stored*>(a.input) +
        (static_cast<long long>(s.plane) * a.height + s.y * F::kStride - F::kRadius + F::kFirst) *
            a.width +
        s.column * F::kColumns;
    auto* out = static_cast<typename F::Stored*>(a.output) +
                (static_cast<long long>(s.plane) * a.out_height + s.y) * a.out_width +
                s.column * F::kOutputs;
    LaneRow<F> rows[F::kUnderWay];
#pragma unroll
    for (int r = F::kFirst; r < F::kFirst + F::kUnderWay; ++r) {
        rows[r % F::kUnderWay] = load_row<F>(a, s, r, in);
        in += a.width;
    }
    float sums[F::kRows][F::kOutputs] = {};
#pragma unroll
    for (int r = F::kFirst; r < F::kEnd; ++r) {
        float window[F::kWindow];
        make_window<F>(s, rows[r % F::kUnderWay], window);
        if (r + F::kUnderWay < F::kEnd) {
            rows[r % F::kUnderWay] = load_row<F>(a, s, r + F::kUnderWay, in);
            in += a.width;
        }
        add_window<F>(weights, r, window, sums);
#pragma unroll
        for (int o = 0; o < F::kRows; ++o) {
            const int last = o * F::kStride + F::kTaps - 1;
            if (r != (last < F::kEnd ? last : F::kEnd - 1)) continue;
            if (s.active && (F::kWhole || s.y + o < a.out_height)) store_outputs<F>(sums[o], out);
            out += a.out_width;
        }
    }
}

}  // namespace weft
