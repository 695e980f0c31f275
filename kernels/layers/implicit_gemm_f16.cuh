// implicit_gemm for f16: as for f32, on tensor cores with fp32 sums.
//
// Idea: a block of eight warps, 2 × 4, computes a tile of output channels × pixels in slices of 32
// products. Shared memory holds weights [row][product] and input [pixel][product], both with 80
// bytes from line to line, so that ldmatrix and 16-byte stores meet each bank once. Input comes in
// eighths of a line: in nhwc, where eight neighbouring products are eight channels, as one
// asynchronous copy with zeros outside the plane; else gathered half by half in registers.
// Source: as implicit_gemm for f32; fragments as in PTX, see mma.cuh
// Launch: 256 threads per tile, tiles of rows fastest
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/implicit_gemm_splits.cuh"

namespace weft {

constexpr int kHalfDepth = 32;
constexpr int kHalfPitch = kHalfDepth + 8;
constexpr int kHalfThreads = 256;
constexpr int kHalfWarpsX = 4;  // along pixels
constexpr int kHalfWarpsY = 2;
constexpr int kLineVectors = kHalfDepth / 8;

struct HighTile {
    static constexpr int kRows = kGemmHigh.rows, kPixels = kGemmHigh.pixels;
};
struct FlatTile {
    static constexpr int kRows = kGemmFlat.rows, kPixels = kGemmFlat.pixels;
};

template <class Tile, bool Vectors>
struct HalfForm {
    static constexpr int kRows = Tile::kRows, kPixels = Tile::kPixels;
    static constexpr bool kVectors = Vectors;
    static constexpr int kWarpRows = kRows / kHalfWarpsY, kWarpPixels = kPixels / kHalfWarpsX;
    static constexpr int kRowTiles = kWarpRows / 16, kPixelTiles = kWarpPixels / 8;
    static constexpr int kWeightVectors = kRows * kLineVectors / kHalfThreads;
    static constexpr int kThreadVectors = kPixels * kLineVectors / kHalfThreads;
    static_assert(kPixelTiles % 2 == 0 && kHalfThreads % kPixels == 0);
};

template <class F>
struct alignas(16) HalfSlices {
    std::uint16_t weights[2][F::kRows][kHalfPitch];
    std::uint16_t input[2][F::kPixels][kHalfPitch];
};

extern __shared__ Words<4> half_slices[];

// A thread's part of the next slice, unless it is copied to shared memory asynchronously. Thread t
// gathers pixel t % kPixels, eighths t / kPixels and so on.
template <class F>
struct HalfPrefetch {
    Words<4> input[F::kVectors ? 1 : F::kThreadVectors];
};

// Eight products of a pixel, gathered one by one.
__device__ __forceinline__ Words<4> gather_vector(const GemmArgs& a, const PixelPlace& pixel,
                                                  bool there, int k) {
    Words<4> out{};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const std::uint32_t bits =
            there ? gathered<ElementF16>(a.shape, a.input, pixel, a.places[k + i]) : 0;
        out.v[i / 2] |= bits << (16 * (i % 2));
    }
    return out;
}

// Starts all loads of slice `k`: asynchronous copies into slice `which`, the rest into registers.
template <class F>
__device__ __forceinline__ void fetch_halves(const GemmArgs& a, int group, int first_row,
                                             const PixelPlace& pixel, bool there, int k, int which,
                                             int thread, HalfSlices<F>& slices,
                                             HalfPrefetch<F>& next) {
    const auto* const weights = static_cast<const std::uint16_t*>(a.weights) +
                                (static_cast<long long>(group) * a.rows + first_row) * a.depth + k;
#pragma unroll
    for (int i = 0; i < F::kWeightVectors; ++i) {
        const int v = thread + i * kHalfThreads;
        const int row = v / kLineVectors;
        const int at = v % kLineVectors * 8;
        copy_vector(&slices.weights[which][row][at],
                    weights + static_cast<long long>(row) * a.depth + at);
    }
#pragma unroll
    for (int i = 0; i < F::kThreadVectors; ++i) {
        const int at = (thread / F::kPixels + i * (kHalfThreads / F::kPixels)) * 8;
        if constexpr (F::kVectors) {
            const TapPlace place = a.places[k + at];
            const bool filled = there && inside(a.shape, pixel, place.dy, place.dx);
            const auto* const input = static_cast<const std::uint16_t*>(a.input);
            copy_part(&slices.input[which][thread % F::kPixels][at],
                      filled ? input + (pixel.first + static_cast<unsigned>(place.offset)) : input,
                      filled ? 16 : 0);
        } else {
            next.input[i] = gather_vector(a, pixel, there, k + at);
        }
    }
}

// Stores the gathered registers to slice `which`.
template <class F>
__device__ __forceinline__ void place_halves(int which, int thread, const HalfPrefetch<F>& next,
                                             HalfSlices<F>& slices) {
    if constexpr (!F::kVectors) {
#pragma unroll
        for (int i = 0; i < F::kThreadVectors; ++i) {
            const int at = (thread / F::kPixels + i * (kHalfThreads / F::kPixels)) * 8;
            move_vector(&slices.input[which][thread % F::kPixels][at], &next.input[i]);
        }
    }
}

template <class F>
using HalfSums = float[F::kRowTiles][F::kPixelTiles][4];

// Multiplies the warp's part of slice `which`.
template <class F>
__device__ __forceinline__ void multiply_halves(const HalfSlices<F>& slices, int which, int warp,
                                                int lane, HalfSums<F>& sums) {
    const int first_row = warp / kHalfWarpsX * F::kWarpRows;
    const int first_pixel = warp % kHalfWarpsX * F::kWarpPixels;
#pragma unroll
    for (int k = 0; k < kHalfDepth; k += 16) {
        const int column = k + lane / 16 * 8;  // lanes 0..15 address the first chunk
        ChunkFragment input[F::kPixelTiles / 2][2];
#pragma unroll
        for (int j = 0; j < F::kPixelTiles / 2; ++j)
            load_chunks(&slices.input[which][first_pixel + j * 16 + lane % 16][column], input[j][0],
                        input[j][1]);
#pragma unroll
        for (int i = 0; i < F::kRowTiles; ++i) {
            ChunkFragment first{};
            ChunkFragment second{};
            load_chunks(&slices.weights[which][first_row + i * 16 + lane % 16][column], first,
                        second);
#pragma unroll
            for (int j = 0; j < F::kPixelTiles; ++j) {
                const ChunkFragment(&pair)[2] = input[j / 2];
                multiply_chunks(sums[i][j], first, second, j % 2 == 0 ? pair[0].low : pair[0].high,
                                j % 2 == 0 ? pair[1].low : pair[1].high);
            }
        }
    }
}

template <class F>
__device__ __forceinline__ void store_halves(const GemmArgs& a, int group, int first_row,
                                             unsigned first_pixel, int warp, int lane,
                                             const HalfSums<F>& sums) {
    const int rows = first_row + warp / kHalfWarpsX * F::kWarpRows + lane / 4;
    const unsigned pixels =
        first_pixel + static_cast<unsigned>(warp % kHalfWarpsX * F::kWarpPixels + lane % 4 * 2);
#pragma unroll
    for (int j = 0; j < F::kPixelTiles; ++j) {
#pragma unroll
        for (unsigned e = 0; e < 2; ++e) {
            const unsigned pixel = pixels + static_cast<unsigned>(j) * 8 + e;
            if (pixel >= a.pixels) continue;
            const OutputPlace out = output_place(a.shape, pixel);
#pragma unroll
            for (int i = 0; i < F::kRowTiles; ++i) {
#pragma unroll
                for (int h = 0; h < 2; ++h) {
                    const int row = rows + i * 16 + h * 8;
                    if (row >= a.shape.group_outputs) continue;
                    const auto m = static_cast<unsigned>(group * a.shape.group_outputs + row);
                    store_product<ElementF16>(a, out, m, pixel,
                                              sums[i][j][h * 2 + static_cast<int>(e)]);
                }
            }
        }
    }
}

template <class F>
__global__ void __launch_bounds__(kHalfThreads, 2)
    implicit_gemm_f16(const __grid_constant__ GemmArgs a) {
    auto* const memory = reinterpret_cast<HalfSlices<F>*>(half_slices);
    HalfSlices<F>& slices = *memory;
    const auto lane = static_cast<int>(threadIdx.x);
    const auto warp = static_cast<int>(threadIdx.y);
    const int thread = warp * 32 + lane;
    const auto row_tiles = static_cast<unsigned>(a.row_tiles);
    const unsigned tile = blockIdx.x / row_tiles;
    const int first_row = static_cast<int>(blockIdx.x % row_tiles) * F::kRows;
    const int group = static_cast<int>(tile / static_cast<unsigned>(a.pixel_tiles));
    const unsigned first_pixel = tile % static_cast<unsigned>(a.pixel_tiles) * F::kPixels;
    const unsigned own = first_pixel + static_cast<unsigned>(thread % F::kPixels);
    const bool there = own < a.pixels;
    const PixelPlace pixel = pixel_place(a.shape, there ? own : 0, group);

    HalfSums<F> sums{};
    HalfPrefetch<F> next;
    const GemmRange range = gemm_range(a);
    fetch_halves<F>(a, group, first_row, pixel, there, range.begin, 0, thread, slices, next);
    place_halves<F>(0, thread, next, slices);
    int which = 0;
#pragma unroll 1
    for (int k = range.begin + kHalfDepth; k <= range.end; k += kHalfDepth) {
        wait_copies();
        __syncthreads();
        if (k < range.end)
            fetch_halves<F>(a, group, first_row, pixel, there, k, which ^ 1, thread, slices, next);
        multiply_halves<F>(slices, which, warp, lane, sums);
        if (k < range.end) place_halves<F>(which ^ 1, thread, next, slices);
        which ^= 1;
    }
    store_halves<F>(a, group, first_row, first_pixel, warp, lane, sums);
}

}  // namespace weft
