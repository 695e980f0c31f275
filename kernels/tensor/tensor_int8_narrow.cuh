// tensor_int8 for taps up to 9×9: bands and the rows of a warp in registers.
#pragma once

#include "kernels/tensor/tensor_int8.cuh"

namespace weft {

// Blocks per multiprocessor, which bound the registers of the variants.
constexpr int int8_narrow_blocks(int tap_rows) {
    return tap_rows > 7 ? 4 : tap_rows > 5 ? 5 : tap_rows > 3 ? 6 : 7;
}

// This lane's B fragments: output n gets input byte k of a window times tap k - first - n.
template <int kTapRows, int kPlanes>
struct Int8Bands {
    __device__ __forceinline__ void load(const Int8Args& args) {
        const int lane = static_cast<int>(threadIdx.x);
        const int first = args.tile.left - args.images.x.before;
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

// sums = start + the taps over the rows from `row` down.
template <int kTapRows>
__device__ __forceinline__ void sum_rows(const ChunkFragment (*rows)[2], int odd,
                                         const std::uint32_t (&bands)[kTapRows],
                                         const int (&start)[4], int (&sums)[4]) {
    multiply_bytes(sums, start, rows[kTapRows - 1][odd], bands[kTapRows - 1]);
#pragma unroll
    for (int j = 0; j + 1 < kTapRows; j += 2)
        multiply_bytes(sums, sums, rows[j][odd], rows[j + 1][odd], bands[j], bands[j + 1]);
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
        for (int odd = 0; odd < 2; ++odd) {
            int sums[kInt8Planes<kSums>][4];
#pragma unroll
            for (int plane = 0; plane < kInt8Planes<kSums>; ++plane)
                sum_rows<kTapRows>(rows + row, odd, bands.of[plane], starts.of, sums[plane]);
            finish_int8<kSums>(args, sums, v[odd]);
        }
        stores.store(row, pack_saturated(v[0][0], v[0][1], v[0][2], v[0][3]),
                     pack_saturated(v[1][0], v[1][1], v[1][2], v[1][3]));
    }
    stores.store_ends();
}

template <int kTapRows, Int8Sums kSums>
__global__ void __launch_bounds__(kInt8Threads, int8_narrow_blocks(kTapRows))
    tensor_int8_narrow(const __grid_constant__ Int8Args args) {
    const Int8Starts starts;
    Int8Bands<kTapRows, kInt8Planes<kSums>> bands;
    for_each_int8_step(
        args, tensor_tile, [&] { bands.load(args); },
        [&](int step) {
            compute_narrow<kTapRows, kSums>(args, int8_place(args, tensor_tile, step), bands,
                                            starts);
        });
}

}  // namespace weft
