// tensor_int8 for taps up to 9×9: bands and the rows of a warp in registers.
#pragma once

#include "kernels/tensor/tensor_int8.cuh"
#include "kernels/tensor/tensor_int8_channels.cuh"

namespace weft {

// Blocks per multiprocessor, which bound the registers of the variants. RGBA 7×7 at 4K on an H100:
// 42.4 µs with four, 45.5 with five, which spill.
constexpr int int8_narrow_blocks(int tap_rows, int channels) {
    return tap_rows > (channels > 1 ? 5 : 7) ? 4 : tap_rows > 5 ? 5 : tap_rows > 3 ? 6 : 7;
}

// This lane's B fragments: output n gets input byte k of a window times tap k - first - n.
template <int kTapRows, int kPlanes>
struct Int8Bands {
    template <int kChannels>
    __device__ __forceinline__ void load(const Int8Args& args) {
        const int lane = static_cast<int>(threadIdx.x);
        const int first = (args.tile.left - args.images.x.before) / kChannels;
        const int byte = kInt8FirstTap + 4 * (lane & 3) - first - (lane >> 2);
#pragma unroll
        for (int plane = 0; plane < kPlanes; ++plane) {
#pragma unroll
            for (int j = 0; j < kTapRows; ++j) {
                const std::uint32_t* const row = args.taps[plane][j] + (byte >> 2);
                of[plane][j] = __funnelshift_r(row[0], row[1], 8 * (byte & 3));
            }
        }
    }
    std::uint32_t of[kPlanes][kTapRows];
};

// sums = start + the taps over the rows from `chunk_of(0)` down.
template <int kTapRows, class ChunkOf>
__device__ __forceinline__ void sum_rows(const ChunkOf& chunk_of,
                                         const std::uint32_t (&bands)[kTapRows],
                                         const int (&start)[4], int (&sums)[4]) {
    multiply_bytes(sums, start, chunk_of(kTapRows - 1), bands[kTapRows - 1]);
#pragma unroll
    for (int j = 0; j + 1 < kTapRows; j += 2)
        multiply_bytes(sums, sums, chunk_of(j), chunk_of(j + 1), bands[j], bands[j + 1]);
}

// Four samples from the rows from `chunk_of(0)` down.
template <int kTapRows, Int8Sums kSums, class ChunkOf>
__device__ __forceinline__ void filter_rows(const Int8Args& args, const ChunkOf& chunk_of,
                                            const Int8Bands<kTapRows, kInt8Planes<kSums>>& bands,
                                            const Int8Starts& starts, float (&out)[4]) {
    int sums[kInt8Planes<kSums>][4];
#pragma unroll
    for (int plane = 0; plane < kInt8Planes<kSums>; ++plane)
        sum_rows<kTapRows>(chunk_of, bands.of[plane], starts.of, sums[plane]);
    finish_int8<kSums>(args, sums, out);
}

template <int kTapRows, Int8Sums kSums>
__device__ __forceinline__ void compute_narrow(const Int8Args& args, const Int8Place& place,
                                               const Int8Bands<kTapRows, kInt8Planes<kSums>>& bands,
                                               const Int8Starts& starts) {
    constexpr int kRows = kInt8Rows;
    constexpr int kPitch = 18 * 16;
    ChunkFragment rows[kRows + kTapRows - 1][2];
#pragma unroll
    for (int row = 0; row < kRows + kTapRows - 1; ++row)
#pragma unroll
        for (int odd = 0; odd < 2; ++odd)
            rows[row][odd] = chunk_at(place.window + row * kPitch + 8 * odd);
    Int8Stores stores(place);
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
        float v[2][4];
#pragma unroll
        for (int odd = 0; odd < 2; ++odd)
            filter_rows<kTapRows, kSums>(
                args, [&](int j) { return rows[row + j][odd]; }, bands, starts, v[odd]);
        stores.store(row, pack_saturated(v[0][0], v[0][1], v[0][2], v[0][3]),
                     pack_saturated(v[1][0], v[1][1], v[1][2], v[1][3]));
    }
    stores.store_ends();
}

// The same for separated channels.
template <int kTapRows, Int8Sums kSums, int kChannels>
__device__ __forceinline__ void compute_narrow_channels(
    const Int8Args& args, const Words<4>* tile, int step,
    const Int8Bands<kTapRows, kInt8Planes<kSums>>& bands, const Int8Starts& starts) {
    const std::uint8_t* const window = channel_window(args, tile, step);
    const int pitch = int8_pitch(args);
    Int8ChannelWords<kChannels> out;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
        std::uint32_t rows[kInt8Rows + kTapRows - 1];
#pragma unroll
        for (int row = 0; row < kInt8Rows + kTapRows - 1; ++row)
            rows[row] = word_at(window + row * pitch + c * kInt8RowPixels<2>);
#pragma unroll
        for (int pair = 0; pair < kInt8Pairs; ++pair) {
            float v[4];
            filter_rows<kTapRows, kSums>(
                args,
                [&](int j) {
                    return ChunkFragment{rows[2 * pair + j], rows[2 * pair + j + 1]};
                },
                bands, starts, v);
            out[c][pair] = pack_saturated(v[0], v[1], v[2], v[3]);
        }
    }
    store_channels<kChannels>(args, out, step);
}

template <int kTapRows, Int8Sums kSums, int kChannels>
__global__ void __launch_bounds__(kInt8Threads, int8_narrow_blocks(kTapRows, kChannels))
    tensor_int8_narrow(const __grid_constant__ Int8Args args) {
    const Int8Starts starts;
    Int8Bands<kTapRows, kInt8Planes<kSums>> bands;
    for_each_int8_step<kChannels, kInt8RowPixels<2>>(
        args, tensor_tile, [&] { bands.template load<kChannels>(args); },
        [&](int step) {
            if constexpr (kChannels > 1)
                compute_narrow_channels<kTapRows, kSums, kChannels>(args, tensor_tile, step, bands,
                                                                    starts);
            else
                compute_narrow<kTapRows, kSums>(args, int8_place(args, tensor_tile, step), bands,
                                                starts);
        });
}

}  // namespace weft
