// tensor_int8: the pixels' bytes go to the tensor cores unconverted.
//
// Taps become bands as in tensor_dense, of signed bytes: one plane for whole numbers, two for
// fractions. A block's rows are bytes in shared memory; while a step is computed, the next ones'
// copies run. A window's 16 bytes are four lanes' words, so a load is 128 consecutive bytes per
// warp, and a row of the image, once in registers, serves all tap rows.
//
// Narrow taps, up to 9×9: bands and rows stay in registers, two tap rows per multiplication.
// Wider taps: bands come from shared memory, each for all rows of a warp; four tap rows at a time.
// RGB and RGBA: channel by channel (tensor_int8_channels.cuh).
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/common/samples.cuh"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_int8_feed.cuh"

namespace weft {

// A warp's input in a step, and the destination of its outputs.
struct Int8Place {
    const std::uint8_t* window;  // the lane's first word in the warp's first tap row
    std::uint8_t* to;            // the lane's first output
    int rows;                    // the warp's rows that are in the image
    int samples;                 // in a row, from the lane's first output on
    long long pitch;             // bytes from output row to output row
};

__device__ __forceinline__ int int8_pitch(const Int8Args& args) {
    return 16 * args.tile.vectors;
}

__device__ __forceinline__ Int8Place int8_place(const Int8Args& args, const Words<4>* tile,
                                                int step) {
    const int lane = static_cast<int>(threadIdx.x);
    const int row = step * kInt8StepRows + static_cast<int>(threadIdx.y) * kInt8Rows;
    const int y = static_cast<int>(blockIdx.y) * args.steps * kInt8StepRows + row;
    const int sample = static_cast<int>(blockIdx.x) * kInt8Samples + 4 * lane;
    return {reinterpret_cast<const std::uint8_t*>(tile) + row * int8_pitch(args) +
                (-args.tile.left & 15) + 4 * lane,
            reinterpret_cast<std::uint8_t*>(args.images.dst) +
                static_cast<long long>(y) * args.images.dst_pitch + sample,
            args.images.y.length - y, args.images.x.length - sample, args.images.dst_pitch};
}

__device__ __forceinline__ std::uint32_t word_at(const std::uint8_t* from) {
    return *reinterpret_cast<const std::uint32_t*>(from);
}

// The words at `from` and half a row after it.
__device__ __forceinline__ ChunkFragment chunk_at(const std::uint8_t* from) {
    return {word_at(from), word_at(from + kInt8Samples / 2)};
}

// Four samples from their sums in one or two planes, or sets. `kWideLower`: the lower plane's sums
// are plain integers, which may exceed 2^22, and are converted.
template <Int8Sums kSums, bool kWideLower = false>
__device__ __forceinline__ void finish_int8(const Int8Args& args,
                                            const int (&sums)[kInt8Planes<kSums>][4],
                                            float (&out)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float v = __uint_as_float(static_cast<std::uint32_t>(sums[0][i]));
        const float b =
            __uint_as_float(static_cast<std::uint32_t>(sums[kInt8Planes<kSums> - 1][i]));
        if constexpr (kSums == Int8Sums::whole) {
            out[i] = __fmaf_rn(v - kInt8Magic, args.gain, args.bias);
        } else if constexpr (kSums == Int8Sums::fraction) {
            const float low = kWideLower ? __int2float_rn(sums[kInt8Planes<kSums> - 1][i]) : b;
            const float lower = __fmaf_rn(low, args.gain * kInt8LowerStep, args.bias);
            out[i] = __fmaf_rn(v, args.gain, lower);
        } else if constexpr (kSums == Int8Sums::plain_magnitude) {
            const float first = v - kInt8Magic;
            const float second = b - kInt8Magic;
            out[i] = short_root(__fmaf_rn(second, second, __fmul_rn(first, first)));
        } else {
            const float m = magnitude_of(v - kInt8Magic, b - kInt8Magic);
            out[i] = __fmaf_rn(m, args.gain, args.bias);
        }
    }
}

// Start values of the sums.
struct Int8Starts {
    __device__ __forceinline__ Int8Starts() {
#pragma unroll
        for (int& value : of) value = in_register(kInt8Start);
    }
    int of[4];
};

// A lane's pairs of samples of an even and an odd window, as the word at its own place: lanes of a
// quad hold samples 2q, 2q + 1 of both, and get 4q to 4q + 3.
__device__ __forceinline__ std::uint32_t own_word(std::uint32_t pairs) {
    const int lane = static_cast<int>(threadIdx.x);
    const int from = (lane & ~3) | (2 * lane & 3);
    const std::uint32_t low = __shfl_sync(0xFFFFFFFFU, pairs, from);
    const std::uint32_t high = __shfl_sync(0xFFFFFFFFU, pairs, from | 1);
    return __byte_perm(low, high, (lane & 2) != 0 ? 0x7632U : 0x5410U);
}

// Stores a warp's words to the image. A word that the image ends in is kept until all rows are
// stored: a branch at each store would cut the rows' sums apart.
class Int8Stores {
 public:
    explicit __device__ __forceinline__ Int8Stores(const Int8Place& place)
        : place_(place),
          to_(place.to),
          first_rows_(place.samples >= 4 ? place.rows : 0),
          second_rows_(place.samples >= kHalf + 4 ? place.rows : 0) {}

    // The lane's samples of the even and of the odd windows: two of the first half of a row, then
    // two of the second.
    __device__ __forceinline__ void store(int row, std::uint32_t even, std::uint32_t odd) {
        const std::uint32_t words[2] = {own_word(__byte_perm(even, odd, 0x5410U)),
                                        own_word(__byte_perm(even, odd, 0x7632U))};
        auto* const to = reinterpret_cast<std::uint32_t*>(to_);
        if (row < first_rows_) to[0] = words[0];
        if (row < second_rows_) to[kHalf / 4] = words[1];
        last_[row] = place_.samples >= 4 ? words[1] : words[0];
        to_ += place_.pitch;
    }

    __device__ __forceinline__ void store_ends() const {
        const int start = place_.samples >= 4 ? kHalf : 0;
        const int samples = place_.samples - start;
        if (samples <= 0 || samples >= 4) return;
#pragma unroll
        for (int row = 0; row < kInt8Rows; ++row)
            for (int s = 0; s < samples && row < place_.rows; ++s)
                place_.to[row * place_.pitch + start + s] =
                    static_cast<std::uint8_t>(last_[row] >> (8 * s));
    }

 private:
    static constexpr int kHalf = kInt8Samples / 2;

    const Int8Place& place_;
    std::uint8_t* to_;
    int first_rows_;  // that have the lane's first word, and its second
    int second_rows_;
    std::uint32_t last_[kInt8Rows];
};

// Steps of this block.
__device__ __forceinline__ int int8_steps(const Int8Args& args) {
    const int first = static_cast<int>(blockIdx.y) * args.steps * kInt8StepRows;
    return min(args.steps, (args.images.y.length - first + kInt8StepRows - 1) / kInt8StepRows);
}

// Runs `compute(step)` for each step of the block once its input is in `tile`: several channels in
// rows of kPixels pixels each. The copies of the first step are one group with those that `prepare`
// starts.
template <int kChannels, int kPixels, class Prepare, class Compute>
__device__ __forceinline__ void for_each_int8_step(const Int8Args& args, Words<4>* tile,
                                                   const Prepare& prepare, const Compute& compute) {
    const int steps = int8_steps(args);
    Int8Feed<kChannels> feed(args, tile);
    wait_for_predecessors();
    let_successor_start();
    feed.fetch(0);
    prepare();
    close_copies();
#pragma unroll
    for (int step = 1; step <= kInt8Ahead; ++step) {
        if (step < steps) feed.fetch(step);
        close_copies();
    }
    feed.find_ends();
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        wait_copies_before<kInt8Ahead>();
        feed.make_ends(step);
        if constexpr (kChannels > 1) feed.template separate<kPixels>(step);
        __syncthreads();
        if (step + 1 + kInt8Ahead < steps) feed.fetch(step + 1 + kInt8Ahead);
        close_copies();
        compute(step);
    }
}

}  // namespace weft
