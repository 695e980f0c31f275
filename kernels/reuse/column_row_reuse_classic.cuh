// The kernel column_row_reuse_classic: column and row reuse in the form in which they were
// published.
//
// Idea: one output column per lane, sub-blocks of 32 columns, taps in shared memory. A lane loads
// the first and the last of its window's FW columns and gets the inner ones from its neighbours:
// the column halfway between two that it holds, 2^s from either, is held by the lane 2^s away. Each
// lane gives the column that the other needs, chosen by a select where the papers shift a packed
// pair, so that no register is indexed by the lane.
//
//     FW = 5, eight lanes; numbers are image columns, ( ) received by a shuffle
//     lane                  0       1       2       3       4   …
//     loaded  offset 0, 4   0 4     1 5     2 6     3 7     4 8
//     xor 2   offset 2      (2)     (3)     (4)     (5)     (6)      lane 0 gives 4, lane 2 gives 2
//     xor 1   offset 1      (1)     (2)     (3)     (4)     (5)      lane 0 gives 2, lane 1 gives 1
//     xor 1   offset 3      (3)     (4)     (5)     (6)     (7)
//
// Other widths are cut into segments, FW - 1 as a sum of powers of two: popcount(FW - 1) + 1 loads
// and FW less as many shuffles. Rows: a lane has 8 outputs of its column in progress, and each
// input row is loaded once and multiplied with every tap row that needs it.
// Source: Lu, Zhang, Wang, CLUSTER 2020 and TPDS 2022; patent CN111797985. The exchange is
// reconstructed from their descriptions, the widths other than 2^m + 1 are ours
// Launch: block 32 × kClassicWarps, a warp per strip of 8 rows; shared memory for one set of taps
// Limits: taps up to 33 wide and 63 high
// Cost per 8 outputs and set: height + 7 rows of loads and shuffles, 8 width · height
// multiplications, as many loads of taps from shared memory
#pragma once

#include "kernels/common/samples.cuh"
#include "kernels/reuse/column_row_reuse_classic.h"

namespace weft {

extern __shared__ float classic_taps[];

// One kernel for all types: few samples are loaded, and the switch is the same in all lanes.
__device__ __forceinline__ float classic_load(const ClassicArgs& args, const std::byte* row,
                                              int s) {
    if (args.type == PixelType::u8) return U8::value(reinterpret_cast<const U8::Sample*>(row)[s]);
    if (args.type == PixelType::u16)
        return U16::value(reinterpret_cast<const U16::Sample*>(row)[s]);
    return reinterpret_cast<const float*>(row)[s];
}

__device__ __forceinline__ void classic_store(const ClassicArgs& args, std::byte* row, int s,
                                              float v) {
    const float max = args.direct.images.max_value;
    if (args.type == PixelType::u8)
        reinterpret_cast<U8::Sample*>(row)[s] = U8::finish(v, max);
    else if (args.type == PixelType::u16)
        reinterpret_cast<U16::Sample*>(row)[s] = U16::finish(v, max);
    else
        reinterpret_cast<float*>(row)[s] = v;
}

__device__ __forceinline__ float classic_border(const ClassicArgs& args) {
    if (args.type == PixelType::u8) return border_value<U8>(args.direct.images);
    if (args.type == PixelType::u16) return border_value<U16>(args.direct.images);
    return border_value<F32>(args.direct.images);
}

// The first column of the segment for bit `bit` of FW - 1, and whether it exists.
template <int FW>
struct Segments {
    static constexpr int kBits = 6;
    __device__ static constexpr bool has(int bit) { return ((FW - 1) >> bit & 1) != 0; }
    __device__ static constexpr int first(int bit) { return (FW - 1) & ~((2 << bit) - 1); }
};

// The sample in its row of each column that a lane loads itself; -1 stands for the border.
template <int FW>
struct ClassicColumns {
    int at[FW];
};

template <int FW>
__device__ __forceinline__ ClassicColumns<FW> classic_columns(const ClassicArgs& args, int px,
                                                              int channel) {
    const AxisMap& x = args.direct.images.x;
    const auto sample = [&](int offset) {
        const int source = source_index(x, px + offset - x.before);
        return source < 0 ? -1 : source * args.direct.channels + channel;
    };
    ClassicColumns<FW> columns{};
    columns.at[0] = sample(0);
#pragma unroll
    for (int bit = Segments<FW>::kBits - 1; bit >= 0; --bit) {
        const int last = Segments<FW>::first(bit) + (1 << bit);
        if (Segments<FW>::has(bit)) columns.at[last] = sample(last);
    }
    return columns;
}

// The lane's window of row y consists of its own loads and the columns from other lanes.
template <int FW>
__device__ __forceinline__ void classic_window(const ClassicArgs& args,
                                               const ClassicColumns<FW>& columns, int y,
                                               float (&window)[FW]) {
    const ConvImages& images = args.direct.images;
    const int source = source_index(images.y, y);
    const float outside = classic_border(args);
    const std::byte* const row =
        images.src + static_cast<long long>(max(source, 0)) * images.src_pitch;
    const auto load = [&](int s) {
        return source < 0 || s < 0 ? outside : classic_load(args, row, s);
    };
    const int lane = static_cast<int>(threadIdx.x);
    window[0] = load(columns.at[0]);
#pragma unroll
    for (int bit = Segments<FW>::kBits - 1; bit >= 0; --bit) {
        if (!Segments<FW>::has(bit)) continue;
        const int first = Segments<FW>::first(bit);
        window[first + (1 << bit)] = load(columns.at[first + (1 << bit)]);
#pragma unroll
        for (int s = bit - 1; s >= 0; --s) {
#pragma unroll
            for (int j = 1 << s; j < 1 << bit; j += 2 << s) {
                const float given = (lane >> s & 1) != 0 ? window[first + j - (1 << s)]
                                                         : window[first + j + (1 << s)];
                window[first + j] = __shfl_sync(0xFFFFFFFFU, given, lane ^ (1 << s));
            }
        }
    }
}

// All threads of the block load the taps of one set and plane.
template <int FW>
__device__ __forceinline__ void classic_stage(const ClassicArgs& args, int set, int channel) {
    const int plane = set * args.direct.planes + (args.direct.planes > 1 ? channel : 0);
    const int count = FW * args.direct.height;
    __syncthreads();  // all threads are done with the previous set
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    for (int k = thread; k < count; k += 32 * kClassicWarps)
        classic_taps[k] = args.direct.taps[plane * count + k];
    __syncthreads();
}

template <int FW>
__device__ __forceinline__ void classic_strip(const ClassicArgs& args,
                                              const ClassicColumns<FW>& columns, int first_y,
                                              float (&sums)[kClassicRows]) {
#pragma unroll
    for (int o = 0; o < kClassicRows; ++o) sums[o] = 0.0F;
#pragma unroll 1
    for (int i = 0; i < kClassicRows + args.direct.height - 1; ++i) {
        float window[FW];
        classic_window<FW>(args, columns, first_y + i - args.direct.images.y.before, window);
#pragma unroll
        for (int o = 0; o < kClassicRows; ++o) {
            if (static_cast<unsigned>(i - o) >= static_cast<unsigned>(args.direct.height)) continue;
            const float* const taps = classic_taps + (i - o) * FW;
#pragma unroll
            for (int j = 0; j < FW; ++j) sums[o] = __fmaf_rn(taps[j], window[j], sums[o]);
        }
    }
}

template <int FW>
__global__ void __launch_bounds__(32 * kClassicWarps)
    reuse_classic(const __grid_constant__ ClassicArgs args) {
    const ConvImages& images = args.direct.images;
    const int channels = args.direct.channels;
    const int tile = static_cast<int>(blockIdx.x) % args.direct.tiles_x;
    const int channel = tile % channels;
    const int px = tile / channels * 32 + static_cast<int>(threadIdx.x);
    const int first_y = (static_cast<int>(blockIdx.x) / args.direct.tiles_x * kClassicWarps +
                         static_cast<int>(threadIdx.y)) *
                        kClassicRows;
    const ClassicColumns<FW> columns = classic_columns<FW>(args, px, channel);
    float result[kClassicRows] = {};
#pragma unroll 1
    for (int set = 0; set < args.direct.sets; ++set) {
        classic_stage<FW>(args, set, channel);
        float sums[kClassicRows];
        classic_strip<FW>(args, columns, first_y, sums);
#pragma unroll
        for (int o = 0; o < kClassicRows; ++o)
            result[o] = set == 0                ? sums[o]
                        : args.direct.magnitude ? magnitude_of(result[o], sums[o])
                                                : larger(result[o], sums[o]);
    }
    if (px >= images.x.length) return;
#pragma unroll
    for (int o = 0; o < kClassicRows; ++o) {
        if (first_y + o >= images.y.length) return;
        classic_store(args, images.dst + static_cast<long long>(first_y + o) * images.dst_pitch,
                      px * channels + channel,
                      __fmaf_rn(result[o], images.scale[channel], images.bias[channel]));
    }
}

}  // namespace weft
