// The kernel box_sum: taps that are all one value, at a cost that does not grow with their number.
//
// Idea: sums of columns run down a strip, adding each row that enters the window and subtracting
// the one that leaves it; sums of windows run along a row of column sums in the same way. Whole
// numbers stay exact, so that subtracting them again loses nothing.
//
//     columns: a thread has a word, a row after the other          rows: a lane has one
//
//         t0 t0 t0 t0 t1 t1 t1 t1  …  row y                      lane 0  → → → → → → →
//         t0 t0 t0 t0 t1 t1 t1 t1  …  row y + 1                  lane 1  → → → → → → →
//          ↓  ↓  ↓  ↓  ↓  ↓  ↓  ↓                                lane 2  → → → → → → →
//
// Between the two is shared memory: 32 rows of column sums, a barrier, 32 rows of results. Walking
// along rows needs no scan across the lanes, and the results of a lane leave in packed words
// through a second part of shared memory, whose rows the warps then store as they are.
//
// Halves: sums of up to 128 8-bit samples are pairs of 16 bits, two additions per instruction. The
// difference of the column that enters and the one that leaves is lifted by 2^15 to stay positive,
// and a product with (1, 0) or (0, 1) adds one half of a pair to the window's sum; its word begins
// as the bits of 2^23, so that it is a float when it is finished. Otherwise sums have 32 bits.
// Source: running sums, textbook (McDonnell 1981; Crow 1984); the transposition is ours
// Launch: block of one thread per word of columns, 1D grid of strips; shared memory of
//   group_rows · (pitch + out_pitch) words
// Limits: u8 and u16; one value for all taps of a channel
// Cost per output: two loads of a sample, (strip + height) / strip rows of additions
#pragma once

#include "kernels/box/box_columns.cuh"

namespace weft {

extern __shared__ __align__(16) std::uint32_t box_sums[];

// The samples of a thread's columns as they are added to its sums.
template <class F>
__device__ __forceinline__ void spread(std::uint32_t row, std::uint32_t (&out)[F::kSumWords]) {
#pragma unroll
    for (int k = 0; k < F::kSumWords; ++k) {
        if constexpr (F::kHalves)
            out[k] = __byte_perm(row, 0, k == 0 ? 0x4140U : 0x4342U);
        else if constexpr (F::Pixel::kPerWord == 4)
            out[k] = __byte_perm(row, 0, 0x4440U | k);
        else
            out[k] = __byte_perm(row, 0, k == 0 ? 0x4410U : 0x4432U);
    }
}

// Adds the first `count` rows from y on.
template <class F>
__device__ __forceinline__ void warm_up(const BoxColumns<F>& columns, int y, int count,
                                        std::uint32_t (&sums)[F::kSumWords]) {
#pragma unroll 1
    for (int done = 0; done < count; done += kBoxBatch) {
        std::uint32_t rows[kBoxBatch];
        columns.load(y + done, rows);
#pragma unroll
        for (int r = 0; r < kBoxBatch; ++r) {
            if (done + r >= count) break;
            std::uint32_t samples[F::kSumWords];
            spread<F>(rows[r], samples);
#pragma unroll
            for (int k = 0; k < F::kSumWords; ++k) sums[k] += samples[k];
        }
    }
}

// The column sums of a group of output rows from y on; `sums` are those of the row before.
template <class F>
__device__ __forceinline__ void run_down(const BoxArgs& args, const BoxColumns<F>& columns, int y,
                                         std::uint32_t (&sums)[F::kSumWords]) {
    std::uint32_t* to = box_sums + box_thread() * F::kSumWords;
#pragma unroll 1
    for (int first = y; first < y + args.group_rows; first += kBoxBatch) {
        std::uint32_t entering[kBoxBatch];
        std::uint32_t leaving[kBoxBatch];
        columns.load(first + args.images.y.after, entering);
        columns.load(first - args.images.y.before - 1, leaving);
#pragma unroll
        for (int r = 0; r < kBoxBatch; ++r) {
            std::uint32_t in[F::kSumWords];
            std::uint32_t out[F::kSumWords];
            spread<F>(entering[r], in);
            spread<F>(leaving[r], out);
#pragma unroll
            for (int k = 0; k < F::kSumWords; ++k) to[k] = sums[k] += in[k] - out[k];
            to += args.pitch;
        }
    }
}

// kUnit column sums from sample p on, as words. Odd: p is odd, and halves are moved together.
template <class F, bool Odd>
__device__ __forceinline__ void read_sums(const std::uint32_t* row, int p,
                                          std::uint32_t (&out)[F::kUnit]) {
    if constexpr (F::kHalves) {
        const std::uint32_t* const from = row + (p >> 1);
        std::uint32_t word = from[0];
#pragma unroll
        for (int k = 0; k < F::kUnit / 2; ++k) {
            if (Odd) {
                const std::uint32_t next = from[k + 1];
                out[k] = __byte_perm(word, next, 0x5432U);
                word = next;
            } else {
                out[k] = from[k];
            }
        }
    } else {
#pragma unroll
        for (int k = 0; k < F::kUnit; ++k) out[k] = row[p + k];
    }
}

// The sums of the windows that start at sample p and the next channels' samples.
template <class F>
__device__ __forceinline__ void first_windows(const BoxArgs& args, const std::uint32_t* row, int p,
                                              std::uint32_t (&sums)[F::kChannels]) {
#pragma unroll
    for (int c = 0; c < F::kChannels; ++c) sums[c] = F::kStart;
    if constexpr (F::kHalves && F::kChannels == 1) {
        int k = p;
        const int end = p + args.reach;
        if (k & 1) sums[0] += row[k++ >> 1] >> 16;
#pragma unroll 4
        for (; k + 1 < end; k += 2) sums[0] = __dp2a_lo(row[k >> 1], 0x0101U, sums[0]);
        if (k < end) sums[0] += row[k >> 1] & 0xFFFFU;
    } else {
        const auto* const halves = reinterpret_cast<const std::uint16_t*>(row);
#pragma unroll 2
        for (int k = p; k < p + args.reach; k += F::kChannels) {
#pragma unroll
            for (int c = 0; c < F::kChannels; ++c)
                sums[c] += F::kHalves ? halves[k + c] : row[k + c];
        }
    }
}

// kUnit sums of windows as floats, and `sums` moved on by as many samples.
template <class F, bool FirstOdd, bool EndOdd>
__device__ __forceinline__ void slide(const BoxArgs& args, const std::uint32_t* row, int p,
                                      std::uint32_t (&sums)[F::kChannels], float (&out)[F::kUnit]) {
    std::uint32_t leaving[F::kUnit];
    std::uint32_t entering[F::kUnit];
    read_sums<F, FirstOdd>(row, p, leaving);
    read_sums<F, EndOdd>(row, p + args.reach, entering);
    if constexpr (F::kHalves) {
#pragma unroll
        for (int k = 0; k < F::kUnit; ++k) {
            const int c = k % F::kChannels;
            constexpr float kZero = 8388608.0F;
            const int lifts = k / F::kChannels;
            out[k] = __uint_as_float(sums[c]) - (kZero + static_cast<float>(lifts * F::kLift));
            const std::uint32_t change =
                entering[k / 2] - leaving[k / 2] + (F::kLift << 16 | F::kLift);
            sums[c] = __dp2a_lo(change, k % 2 == 0 ? 0x0001U : 0x0100U, sums[c]);
        }
#pragma unroll
        for (int c = 0; c < F::kChannels; ++c) sums[c] -= F::kUnit / F::kChannels * F::kLift;
    } else {
#pragma unroll
        for (int k = 0; k < F::kUnit; ++k) {
            const int c = k % F::kChannels;
            out[k] = __uint2float_rn(sums[c]);
            sums[c] += entering[k] - leaving[k];
        }
    }
}

// A lane's part of a row: units from its first on.
struct BoxRun {
    int row;
    int first;  // unit
    int end;
};

__device__ __forceinline__ BoxRun run_of(const BoxArgs& args) {
    const int first = (box_thread() >> args.group_shift) * args.run_units;
    return {box_thread() & (args.group_rows - 1), first, min(first + args.run_units, args.units)};
}

// Stores the results of a lane's run to shared memory. `before`: samples from the first column to
// the first window.
template <class F, bool FirstOdd, bool EndOdd>
__device__ __forceinline__ void run_along(const BoxArgs& args, const BoxRun& run, int before) {
    using P = typename F::Pixel;
    constexpr int kWords = F::kUnit / P::kPerWord;
    const std::uint32_t* const row = box_sums + run.row * args.pitch;
    std::uint32_t* const out = box_sums + args.out_first + run.row * args.out_pitch;
    std::uint32_t sums[F::kChannels];
    if (run.first < run.end) first_windows<F>(args, row, before + run.first * F::kUnit, sums);
#pragma unroll 1
    for (int unit = run.first; unit < run.end; ++unit) {
        float v[F::kUnit];
        slide<F, FirstOdd, EndOdd>(args, row, before + unit * F::kUnit, sums, v);
#pragma unroll
        for (int k = 0; k < F::kUnit; ++k)
            v[k] = __fmaf_rn(v[k], args.gain[k % F::kChannels], args.images.bias[k % F::kChannels]);
        constexpr int kVector = kWords % 4 == 0 ? 4 : kWords % 2 == 0 ? 2 : 1;
#pragma unroll
        for (int j = 0; j < kWords; j += kVector) {
            Words<kVector> words;
#pragma unroll
            for (int i = 0; i < kVector; ++i)
                words.v[i] = P::pack(v + (j + i) * P::kPerWord, args.images.max_value);
            *reinterpret_cast<Words<kVector>*>(out + unit * kWords + j) = words;
        }
    }
}

// Chooses the code for the window's ends: the same in all threads of the grid but for `before`,
// which is the same in a block.
template <class F>
__device__ __forceinline__ void run_along(const BoxArgs& args, int before) {
    const BoxRun run = run_of(args);
    if constexpr (!F::kHalves) {
        run_along<F, false, false>(args, run, before);
    } else {
        const bool first_odd = (before & 1) != 0;
        const bool end_odd = ((before + args.reach) & 1) != 0;
        if (first_odd && end_odd)
            run_along<F, true, true>(args, run, before);
        else if (first_odd)
            run_along<F, true, false>(args, run, before);
        else if (end_odd)
            run_along<F, false, true>(args, run, before);
        else
            run_along<F, false, false>(args, run, before);
    }
}

// Stores the finished rows from y on to the image: 8, 16 or 32 threads per row, 16 bytes each.
template <class F>
__device__ __forceinline__ void store_rows(const BoxArgs& args, int y, int first) {
    using Sample = typename F::Pixel::Sample;
    constexpr int kPerVector = 16 / sizeof(Sample);
    const int lanes = 1 << args.store_shift;
    const int samples = args.images.x.length * F::kChannels;
    const int count = min(args.outputs, samples - first);
    const int rows = min(args.group_rows, args.images.y.length - y);
#pragma unroll 2
    for (int r = box_thread() >> args.store_shift; r < rows;
         r += args.threads >> args.store_shift) {
        const std::uint32_t* const from = box_sums + args.out_first + r * args.out_pitch;
        auto* const to = reinterpret_cast<Sample*>(args.images.dst + static_cast<long long>(y + r) *
                                                                         args.images.dst_pitch) +
                         first;
        for (int k = (box_thread() & (lanes - 1)) * kPerVector; k < count;
             k += lanes * kPerVector) {
            const auto words = *reinterpret_cast<const Words<4>*>(from + k / F::Pixel::kPerWord);
            if (args.dst_aligned && k + kPerVector <= count) {
                *reinterpret_cast<Words<4>*>(to + k) = words;
                continue;
            }
            constexpr int kBits = 8 * sizeof(Sample);
#pragma unroll
            for (int s = 0; s < kPerVector; ++s)
                if (k + s < count)
                    to[k + s] = static_cast<Sample>(words.v[s / F::Pixel::kPerWord] >>
                                                    (s % F::Pixel::kPerWord * kBits));
        }
    }
}

template <class F>
__global__ void __launch_bounds__(kMaxBoxThreads) box_sum(const __grid_constant__ BoxArgs args) {
    const ConvImages& images = args.images;
    const int tile = static_cast<int>(blockIdx.x) % args.tiles_x;
    const int y0 = static_cast<int>(blockIdx.x) / args.tiles_x * args.strip;
    const int first = tile * args.outputs;
    const int window = first - images.x.before * F::kChannels;  // the first output's
    const int column = window & ~(F::Pixel::kPerWord - 1);
    const BoxColumns<F> columns(args, column + box_thread() * F::Pixel::kPerWord);
    std::uint32_t sums[F::kSumWords] = {};
    // The kernel above the first window is added here and subtracted with the first output row.
    warm_up<F>(columns, y0 - images.y.before - 1, args.height, sums);
#pragma unroll 1
    for (int y = y0; y < min(y0 + args.strip, images.y.length); y += args.group_rows) {
        run_down<F>(args, columns, y, sums);
        __syncthreads();
        run_along<F>(args, window - column);
        __syncthreads();
        store_rows<F>(args, y, first);
    }
}

}  // namespace weft
