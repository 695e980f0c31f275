// column_row_reuse for fp32 images and square odd taps from 7×7 to 15×15, centred, one set: a warp
// walks down a strip with its rows fetched ahead.
//
// Idea: a 4K fp32 image takes longer to move than small taps to compute, so the number of bytes in
// flight decides. A warp owns a tile of 128 columns and a ring of rows in shared memory
// (row_ring.cuh), a step of N rows at a time. A row's samples and its neighbours' are read once as
// vectors and multiplied with all K tap rows; K + N - 1 rows of sums are in progress. They roll:
// the first multiplication of a step reads row k + N and writes row k, so the shift costs no
// instruction. Tap row j meets row n of the step in sums row K - 1 - j + n:
//
//     step rows i, i+1;  K = 3, N = 2; which tap row meets the two rows
//     sums row 0 (output i-2)    2, -    done: stored
//     sums row 1 (output i-1)    1, 2    done: stored
//     sums row 2 (output i)      0, 1
//     sums row 3 (output i+1)    -, 0
//
// A tap is a uniform operand of 4 N multiplications, loaded from the kernel's arguments.
// Output rows of a step that lie outside the strip are skipped by branches that are the same for
// the whole warp; for small taps the steps that have none run code without branches.
// Source: Lu, Zhang, Wang, CLUSTER 2020 (columns, rows); the ring and register blocking ours.
// Launch: block 32 × kRingWarps, a warp per strip of a tile, numbered along rows of tiles; shared
// memory kWarpVectors vectors per warp
// Limits: tiles at the image's left and right end fetch samples one by one in every step and take
// longer than others: at 15×15 the multiprocessors of an H200 are active for 91.5 % of the launch
// (ncu); in a trial that computed the ends' columns once per strip it was 95.5 %.
// Cost per row of 4 outputs per lane: one or two 16-byte copies, 2 ⌈radius / 4⌉ + 1 loads from
// shared memory, 4 K² multiplications; K - 1 rows per strip are fetched twice.
#pragma once

#include "kernels/reuse/row_ring.cuh"

namespace weft {

// K taps per side, N rows per step, a ring of Steps; Blocks per multiprocessor.
template <int K, int N, int Steps, int Blocks>
struct Ring {
    static constexpr int kSize = K, kRadius = K / 2, kRows = N, kSteps = Steps, kBlocks = Blocks;
    static constexpr int kBlock = 4;                  // samples per lane
    static constexpr int kTileSamples = 32 * kBlock;  // per warp
    static constexpr int kHalo = (kRadius + 3) / 4;   // vectors per side
    static constexpr int kWindow = kBlock + 2 * kRadius;
    static constexpr int kSums = K + N - 1;  // rows
    static constexpr int kRowVectors = 32 + 2 * kHalo;
    static constexpr int kStepVectors = N * kRowVectors;
    static constexpr int kWarpVectors = Steps * kStepVectors;
    // Above that, a second copy of the code without branches would overflow the instruction cache.
    static constexpr bool kWholeSteps = K <= 7;
    static_assert(K % 2 == 1 && K <= RingArgs::kMaxSize && Steps >= 2);
};

template <class S>
using RingSums = float[S::kSums][S::kBlock];
template <class S>
using RingWindows = float[S::kRows][S::kWindow];

// Tap row j times every row of the step, the later rows first, so that sums rows start in order.
template <class S>
__device__ __forceinline__ void multiply_tap_row(const RingArgs& args, int j,
                                                 const RingWindows<S>& windows, RingSums<S>& sums) {
#pragma unroll
    for (int t = 0; t < S::kSize; ++t) {
        const float tap = args.taps[j * S::kSize + t];
#pragma unroll
        for (int n = S::kRows - 1; n >= 0; --n) {
            const int k = S::kSize - 1 - j + n;
            const bool first_of_step = t == 0 && n == min(k, S::kRows - 1);
#pragma unroll
            for (int v = 0; v < S::kBlock; ++v) {
                const float x = windows[n][v + t];
                if (!first_of_step) {
                    sums[k][v] = __fmaf_rn(tap, x, sums[k][v]);
                } else if (k + S::kRows < S::kSums) {
                    // A strip's first rows start from any value: no output takes them.
                    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
                    sums[k][v] = __fmaf_rn(tap, x, sums[k + S::kRows][v]);
                } else {
                    sums[k][v] = __fmul_rn(tap, x);
                }
            }
        }
    }
}

// Where a lane's outputs go.
template <class S>
class RingStore {
 public:
    __device__ __forceinline__ RingStore(const RingArgs& args, int first)
        : args_(args),
          count_(min(args.images.x.length - first, S::kBlock)),
          vector_(in_register(args.dst_aligned && count_ == S::kBlock ? 1 : 0)),
          to_(global_in_register(args.images.dst + 4LL * first)) {}

    // Stores sums row n to row y + n of the image if bit n of `rows` is set, for all rows of a
    // step.
    __device__ __forceinline__ void store(int y, unsigned rows, const RingSums<S>& sums) const {
        std::byte* row = to_ + static_cast<long long>(y) * args_.images.dst_pitch;
#pragma unroll
        for (int n = 0; n < S::kRows; ++n, row += args_.images.dst_pitch)
            if ((rows >> n & 1) != 0) store_row(row, sums[n]);
    }

 private:
    __device__ __forceinline__ void store_row(std::byte* row,
                                              const float (&sums)[S::kBlock]) const {
        RingVector out{};
#pragma unroll
        for (int v = 0; v < S::kBlock; ++v)
            // Rows are stored once all their taps are in: the analyzer does not see that.
            // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
            out.v[v] = __fmaf_rn(sums[v], args_.images.scale[0], args_.images.bias[0]);
        if (vector_ != 0) {
            *reinterpret_cast<RingVector*>(row) = out;
            return;
        }
#pragma unroll
        for (int v = 0; v < S::kBlock; ++v)
            if (v < count_) reinterpret_cast<float*>(row)[v] = out.v[v];
    }

    const RingArgs& args_;
    int count_;
    int vector_;
    std::byte* to_;
};

// One step: `i` counts rows from the first that the strip needs; `y` is the output row that sums
// row 0 is for.
template <class S>
__device__ __forceinline__ void consume_step(const RingArgs& args, const RingStore<S>& store, int i,
                                             int outputs, int y, const RingWindows<S>& windows,
                                             RingSums<S>& sums) {
    if (S::kWholeSteps && i >= S::kSize - 1 && i + S::kRows <= outputs) {
#pragma unroll
        for (int j = S::kSize - 1; j >= 0; --j) multiply_tap_row<S>(args, j, windows, sums);
        store.store(y, ~0U, sums);
        return;
    }
    // Bit k: sums row k is for an output of the strip.
    const int begin = max(S::kSize - 1 - i, 0);
    const int last = min(outputs - 1 - i + S::kSize - 1, S::kSums - 1);
    const unsigned rows = (2U << last) - (1U << begin);
    constexpr unsigned kStepRows = (1U << S::kRows) - 1;
#pragma unroll
    for (int j = S::kSize - 1; j >= 0; --j)
        if ((rows & kStepRows << (S::kSize - 1 - j)) != 0)
            multiply_tap_row<S>(args, j, windows, sums);
    store.store(y, rows, sums);
}

template <class S>
__global__ void __launch_bounds__(32 * kRingWarps, S::kBlocks)
    reuse_ring(const __grid_constant__ RingArgs args) {
    const int lane = static_cast<int>(threadIdx.x);
    // The shuffle shows the compiler that rows are the same in a warp.
    const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.y), 0);
    const auto id = blockIdx.x * kRingWarps + static_cast<unsigned>(warp);
    // The reciprocal is rounded down, so the quotient is one too small at most.
    int strip = static_cast<int>(static_cast<std::uint64_t>(id) * args.tiles_reciprocal >> 32);
    int tile = static_cast<int>(id) - strip * args.tiles_x;
    if (tile >= args.tiles_x) {
        ++strip;
        tile -= args.tiles_x;
    }
    if (strip >= args.strips) return;  // the whole warp
    const int first_y = (strip * args.strip_steps + min(strip, args.tall_strips)) * S::kRows;
    const int steps = args.strip_steps + (strip < args.tall_strips ? 1 : 0);
    const int outputs = min(steps * S::kRows, args.images.y.length - first_y);
    const int rows = outputs + S::kSize - 1;

    const RowRing<S> ring(args, lane, tile, ring_rows + warp * S::kWarpVectors);
    const RingStore<S> store(args, tile * S::kTileSamples + S::kBlock * lane);
    RingSums<S> sums;
    constexpr int kAhead = (S::kSteps - 1) * S::kRows;
    int free_slot = 0;
    // Steps below 0 only start copies, so that the code for that exists once.
#pragma unroll 1
    for (int i = -kAhead; i < rows; i += S::kRows) {
        if (i >= 0) {
            wait_copies_before<S::kSteps - 2>();
            __syncwarp();  // the step's rows have arrived, and the previous step is done
        }
        if (i + kAhead < rows) ring.fetch(first_y - S::kRadius + i + kAhead, free_slot);
        close_copies();
        free_slot += S::kStepVectors;
        if (free_slot == S::kWarpVectors) free_slot = 0;
        if (i < 0) continue;
        RingWindows<S> windows;
#pragma unroll
        for (int n = 0; n < S::kRows; ++n) ring.window(free_slot, n, windows[n]);
        consume_step<S>(args, store, i, outputs, first_y + i - (S::kSize - 1), windows, sums);
    }
}

}  // namespace weft
