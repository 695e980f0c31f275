// The small form of separable_reuse, for the same factors in all channels: odd squares of f32, and
// any shape of 16-bit samples, up to 65 factors per side in gray and 33 in several channels. Every
// loop is unrolled and the factors are operands in constant memory.
//
// Idea: a thread goes down one column once and keeps all results of the block's rows in registers,
// so that a sample is loaded (rows + height - 1) / rows times, from the L2 cache but for the first.
// The address of a row is the same in all threads of a block, so a load costs one instruction.
// Sums of columns go to shared memory, where the row pass reads them in vectors.
//
//     row 0   x0                                    sums[0] = w0 x0
//     row 1   x1                                    sums[0] += w1 x1, sums[1] = w0 x1
//     row 2   x2                                    sums[0] += w2 x2, sums[1] += w1 x2, …
//     …
//
// Blocks at the top and bottom of the image look rows up in the border's table, in code of their
// own: with the loops of separable_reuse.cuh one such block took as long as all others together.
// Boxes are sums of windows, multiplied once at the end. Other samples of 16 bits are read as
// floats as they are, x · 2^-149, and the factors make up for it: a conversion would be two of some
// 20 instructions per output. FFMA is as fast on subnormal numbers.
// Source: as separable_reuse.cuh; the schedule is that of Halide's best one for these filters, but
// each thread has one column
// Launch: block 32 × warps, grid of tiles in one dimension; shared memory of
//   rows · pitch floats
// Cost per output: height · columns / outputs + width multiplications, (rows + height - 1) / rows
// loads of a sample
// Registers (sm_90, nvcc 13.0): 48 to 80, at most 44 bytes of spills per thread.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/common/early_launch.cuh"
#include "kernels/common/launch_bounds.cuh"
#include "kernels/separable/separable_reuse.cuh"

namespace weft {

// Sums of windows that move by one sample, as a box filter needs them, with every loop unrolled.
// Source: running sums, textbook (McDonnell, CGIP 1981)
//
// Calls store(i, x(i) + … + x(i + Size - 1)) for i = 0 .. Count - 1, modulo 2^32. `sample(j)` is
// x(j), called once for each j in ascending order. Whole numbers only: subtracting fractions would
// keep their rounding errors. Two additions per window, one instruction.
template <int Count, int Size, class Sample, class Store>
__device__ __forceinline__ void window_sums(const Sample& sample, const Store& store) {
    std::uint32_t x[Count + Size - 1];
    std::uint32_t sum = 0;
#pragma unroll
    for (int j = 0; j < Count + Size - 1; ++j) {
        x[j] = sample(j);
        sum += x[j];
        if (j >= Size) sum -= x[j - Size];
        if (j >= Size - 1) store(j - Size + 1, sum);
    }
}

// Between the passes. Boxes are summed in whole numbers.
template <bool kBox>
using SmallSum = std::conditional_t<kBox, std::uint32_t, float>;

// One column of a block. `at`: its sample in a row, -1 for the constant border; unless `kMapped`,
// all rows and the column are in the image.
template <class P, bool kBox, int Rows, int Height, bool kMapped>
__device__ __forceinline__ void sum_small_column(const SeparableSmallArgs& args, int at, int y0,
                                                 SmallSum<kBox>* between) {
    using Sample = typename P::Sample;
    const ConvImages& images = args.images;
    const int top = y0 - images.y.before;
    const std::byte* const first = images.src + static_cast<long long>(top) * images.src_pitch;
    const unsigned offset =
        static_cast<unsigned>(max(at, 0)) * static_cast<unsigned>(sizeof(Sample));
    const auto sample = [&](int j) {
        const int source = kMapped ? source_index(images.y, top + j) : j;
        const std::byte* const row =
            (kMapped ? images.src : first) +
            static_cast<long long>(kMapped ? max(source, 0) : j) * images.src_pitch;
        const std::uint32_t bits = P::bits(*reinterpret_cast<const Sample*>(row + offset));
        const bool constant = kMapped && (source < 0 || at < 0);
        const std::uint32_t chosen = constant ? images.border_word : bits;
        if constexpr (kBox)
            return std::uint32_t{P::sample(chosen)};
        else if constexpr (sizeof(Sample) == 2)
            return __uint_as_float(P::sample(chosen));
        else
            return P::to_float(chosen, 0);
    };
    if constexpr (kBox) {
        window_sums<Rows, Height>(sample,
                                  [&](int o, std::uint32_t sum) { between[o * args.pitch] = sum; });
    } else {
        float sums[Rows];
#pragma unroll
        for (int o = 0; o < Rows; ++o) sums[o] = 0.0F;
#pragma unroll
        for (int j = 0; j < Rows + Height - 1; ++j) {
            const float x = sample(j);
#pragma unroll
            for (int o = 0; o < Rows; ++o)
                if (o <= j && j < o + Height) sums[o] = __fmaf_rn(args.column[j - o], x, sums[o]);
        }
#pragma unroll
        for (int o = 0; o < Rows; ++o) between[o * args.pitch] = sums[o];
    }
}

template <class P, int C, bool kBox, SeparableSmallShape kShape, int Height>
__device__ __forceinline__ void small_columns(const SeparableSmallArgs& args, int first, int y0,
                                              SmallSum<kBox>* between) {
    const int column = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const int left = first - args.images.x.before * C;
    const int top = y0 - args.images.y.before;
    const bool columns_inside = left >= 0 && left + args.columns <= args.images.x.length * C;
    const bool rows_inside = top >= 0 && top + kShape.rows + Height - 1 <= args.images.y.length;
    const bool mapped = !rows_inside || (!columns_inside && args.constant_border);
    if (column >= args.columns) return;
    // The border's table is in global memory: a look costs as long as the first row.
    const int at =
        columns_inside ? left + column : ReusedColumn<P, C>(args.images, left + column).at();
    if (mapped)
        sum_small_column<P, kBox, kShape.rows, Height, true>(args, at, y0, between + column);
    else
        sum_small_column<P, kBox, kShape.rows, Height, false>(args, at, y0, between + column);
}

// kShape.samples results of a row; `from`: the first sum that they need. Reads up to three sums
// more than the taps need and does not use them.
template <class P, int C, bool kBox, SeparableSmallShape kShape, int Width>
__device__ __forceinline__ void sum_small_row(const SeparableSmallArgs& args,
                                              const SmallSum<kBox>* from, int y, int first) {
    constexpr int kSamples = kShape.samples;
    Vector<SmallSum<kBox>, 4> four;
    const auto between = [&](int k) {  // for k = 0, 1, 2 …
        if (k % 4 == 0) four = *reinterpret_cast<const Vector<SmallSum<kBox>, 4>*>(from + k);
        return four.v[k % 4];
    };
    float sums[kSamples];
    if constexpr (kBox) {
        static_assert(C == 1);
        window_sums<kSamples, Width>(
            between, [&](int s, std::uint32_t sum) { sums[s] = __uint2float_rn(sum); });
    } else {
#pragma unroll
        for (int s = 0; s < kSamples; ++s) sums[s] = 0.0F;
#pragma unroll
        for (int k = 0; k < kSamples + (Width - 1) * C; ++k) {
            const float x = between(k);
#pragma unroll
            for (int s = 0; s < kSamples; ++s) {
                const int distance = k - s;
                if (distance >= 0 && distance % C == 0 && distance / C < Width)
                    sums[s] = __fmaf_rn(args.row[distance / C], x, sums[s]);
            }
        }
    }
    store_block<P, C, kSamples>(args.images, args.dst_aligned, y, first, sums);
}

template <class P, int C, bool kBox, SeparableSmallShape kShape, int Width, int Outputs>
__device__ __forceinline__ void small_rows(const SeparableSmallArgs& args, int first, int y0,
                                           const SmallSum<kBox>* between) {
    constexpr int kGroups = Outputs / kShape.samples;
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    const auto sum = [&](int row, int group) {
        sum_small_row<P, C, kBox, kShape, Width>(
            args, between + row * args.pitch + group * kShape.samples, y0 + row,
            first + group * kShape.samples);
    };
    if constexpr (kShape.along_rows) {
#pragma unroll 1
        for (int k = warp * 32 + lane; k < kGroups * kShape.rows; k += 32 * kShape.warps)
            sum(k / kGroups, k % kGroups);
    } else {  // lanes in eight rows: see the pitch
        constexpr int kBands = kShape.rows / 8;
        constexpr int kUsed = kShape.warps / kBands * kBands;
        if (warp >= kUsed) return;
#pragma unroll 1
        for (int group = warp / kBands * 4 + lane / 8; group < kGroups; group += kUsed / kBands * 4)
            sum(warp % kBands * 8 + lane % 8, group);
    }
}

// The first row of the outputs of the k-th row of tiles: the last one of the image comes first,
// since its blocks take longer and would end alone.
__device__ __forceinline__ int small_tile_row(const SeparableSmallArgs& args, int k, int rows) {
    return k == 0 ? (args.images.y.length - 1) / rows * rows : (k - 1) * rows;
}

template <std::size_t kVariant>
struct SmallKernel {
    static constexpr SeparableSmallShape kShape = kSmallVariants[kVariant].shape;
    static constexpr int kChannels = kSmallVariants[kVariant].channels;
    static constexpr PixelType kType = kSmallVariants[kVariant].type;
    static constexpr bool kBox = kSmallVariants[kVariant].box;
    template <int kSize>
    static constexpr int kOutputs = small_outputs(kShape, (kSize - 1) * kChannels);
    using Pixel = std::conditional_t<kType == PixelType::u8, U8,
                                     std::conditional_t<kType == PixelType::u16, U16, F32>>;
};

// nvcc 13.0 fails on a kernel with a struct as template argument, so it has the variant's number.
// One kernel for all sizes, with a switch over them, had instructions of 600 KB: at 15×15 a third
// of the time went into fetching them.
template <std::size_t kVariant, int kSize>
__global__ void __launch_bounds__(32 * SmallKernel<kVariant>::kShape.warps,
                                  blocks_that_fit(SmallKernel<kVariant>::kShape.resident,
                                                  32 * SmallKernel<kVariant>::kShape.warps))
    separable_small(const __grid_constant__ SeparableSmallArgs args) {
    using P = typename SmallKernel<kVariant>::Pixel;
    constexpr int C = SmallKernel<kVariant>::kChannels;
    constexpr SeparableSmallShape kShape = SmallKernel<kVariant>::kShape;
    constexpr int kOutputs = SmallKernel<kVariant>::template kOutputs<kSize>;
    const int first = static_cast<int>(blockIdx.x) % args.tiles_x * kOutputs;
    const int y0 = small_tile_row(args, static_cast<int>(blockIdx.x) / args.tiles_x, kShape.rows);
    wait_for_predecessors();
    constexpr bool kBox = SmallKernel<kVariant>::kBox;
    auto* const between = reinterpret_cast<SmallSum<kBox>*>(separable_memory);
    small_columns<P, C, kBox, kShape, kSize>(args, first, y0, between);
    __syncthreads();
    let_successor_start();
    small_rows<P, C, kBox, kShape, kSize, kOutputs>(args, first, y0, between);
}

using SmallKernelPointer = void (*)(SeparableSmallArgs);

template <std::size_t kVariant, int kSize>
constexpr SmallKernelPointer small_kernel() {
    if constexpr (kSmallVariants[kVariant].compiled_for(kSize))
        return separable_small<kVariant, kSize>;
    else
        return nullptr;
}

template <std::size_t kVariant, int... Half>
constexpr auto small_kernels_of(std::integer_sequence<int, Half...>) {
    return std::array<SmallKernelPointer, sizeof...(Half)>{
        small_kernel<kVariant, 2 * Half + 1>()...};
}

// For each of kSmallVariants the kernels of the sizes 1, 3 and so on; null where not compiled.
using SmallSizes = std::make_integer_sequence<int, (kMostSmallFactors + 1) / 2>;

template <std::size_t... K>
constexpr auto small_kernels(std::index_sequence<K...>) {
    return std::array{small_kernels_of<K>(SmallSizes())...};
}

// Each group is compiled in a file of its own, and so is a module of its own: a GPU for which there
// is no machine code compiles only those that it uses.
enum class SmallGroup { f32, box16, gray16, color16 };

constexpr SmallGroup group_of(const SeparableSmallVariant& v) {
    if (v.type == PixelType::f32) return SmallGroup::f32;
    if (v.box) return SmallGroup::box16;
    return v.channels == 1 ? SmallGroup::gray16 : SmallGroup::color16;
}

// The kernel of the group's variant for the size; separable_small_group.cu.in defines it.
template <SmallGroup kGroup>
SmallKernelPointer compiled_small_kernel(std::size_t variant, int size);

}  // namespace weft
