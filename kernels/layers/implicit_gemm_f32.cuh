// implicit_gemm for f32: the layer as a product of matrices whose right side is never stored.
//
// Idea: a block computes a tile of output channels × pixels. Slices of eight products pass through
// shared memory: weights as stored, input gathered by index arithmetic, each thread for its own
// pixel, so that only the distance of the tap changes. While a slice is multiplied the next one is
// loaded into registers; two slices of shared memory need one barrier per slice. A thread keeps T ×
// T sums and reads 2 T numbers for T² multiplications.
// Source: cuDNN's implicit GEMM (Chetlur et al., 2014); register tiles as in every SGEMM
// Launch: 128 threads per tile, tiles of rows fastest, so that they share gathered input in L2
#pragma once

#include "kernels/common/vector.h"
#include "kernels/layers/implicit_gemm_splits.cuh"

namespace weft {

struct GemmWide {
    static constexpr int kRows = kGemmWide.rows, kPixels = kGemmWide.pixels, kSide = 8;
};
struct GemmNarrow {
    static constexpr int kRows = kGemmNarrow.rows, kPixels = kGemmNarrow.pixels, kSide = 4;
};

constexpr int kGemmThreads = 128;
constexpr int kGemmDepth = 8;

template <class T>
struct alignas(16) GemmSlices {
    float weights[2][kGemmDepth][T::kRows];
    float input[2][kGemmDepth][T::kPixels];
};

// A thread's part of the slice in flight: its pixel's products, every step-th, and its weights.
template <class T>
struct GemmPrefetch {
    static constexpr int kStep = kGemmThreads / T::kPixels;
    static constexpr int kInputs = kGemmDepth / kStep;
    static constexpr int kWeights = kGemmDepth * T::kRows / kGemmThreads;
    float input[kInputs];
    float weights[kWeights];
};

extern __shared__ Floats<4> gemm_slices[];

struct GemmPlace {
    int group, first_row;
    unsigned first_pixel;
};

template <int Rows, int Pixels>
__device__ __forceinline__ GemmPlace gemm_place(const GemmArgs& a) {
    const auto tiles = static_cast<unsigned>(a.row_tiles);
    const auto pixel_tiles = static_cast<unsigned>(a.pixel_tiles);
    return {static_cast<int>(blockIdx.x / tiles / pixel_tiles),
            static_cast<int>(blockIdx.x % tiles) * Rows,
            blockIdx.x / tiles % pixel_tiles * static_cast<unsigned>(Pixels)};
}

template <class T>
__device__ __forceinline__ void fetch_slice(const GemmArgs& a, const GemmPlace& at,
                                            const PixelPlace& pixel, bool there, int k,
                                            GemmPrefetch<T>& next) {
    const auto thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const int first = thread / T::kPixels;
#pragma unroll
    for (int i = 0; i < GemmPrefetch<T>::kInputs; ++i) {
        const TapPlace place = a.places[k + first + i * GemmPrefetch<T>::kStep];
        next.input[i] = there ? gathered<ElementF32>(a.shape, a.input, pixel, place) : 0.0F;
    }
    const auto* const weights = static_cast<const float*>(a.weights) +
                                (static_cast<long long>(at.group) * a.depth + k) * a.rows +
                                at.first_row;
#pragma unroll
    for (int i = 0; i < GemmPrefetch<T>::kWeights; ++i) {
        const int w = thread + i * kGemmThreads;
        next.weights[i] = weights[w / T::kRows * a.rows + w % T::kRows];
    }
}

template <class T>
__device__ __forceinline__ void place_slice(const GemmPrefetch<T>& next, int which,
                                            GemmSlices<T>& slices) {
    const auto thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
#pragma unroll
    for (int i = 0; i < GemmPrefetch<T>::kInputs; ++i)
        slices.input[which][thread / T::kPixels + i * GemmPrefetch<T>::kStep][thread % T::kPixels] =
            next.input[i];
#pragma unroll
    for (int i = 0; i < GemmPrefetch<T>::kWeights; ++i) {
        const int w = thread + i * kGemmThreads;
        slices.weights[which][w / T::kRows][w % T::kRows] = next.weights[i];
    }
}

// A thread's sums: its rows and its pixels come in runs of four, so that four numbers are one read.
//   rows    4 ty .. 4 ty + 3, and as many again half a tile on (T::kSide == 8); pixels likewise
template <class T>
__device__ __forceinline__ int tile_index(int thread_index, int side_index, int length) {
    const int half = T::kSide == 8 ? length / 2 : 0;
    return thread_index * 4 + side_index % 4 + side_index / 4 * half;
}

template <class T>
using GemmSums = float[T::kSide][T::kSide];

template <class T>
__device__ __forceinline__ void multiply_slice(const GemmSlices<T>& slices, int which, int tx,
                                               int ty, GemmSums<T>& sums) {
#pragma unroll
    for (int k = 0; k < kGemmDepth; ++k) {
        float w[T::kSide];
        float x[T::kSide];
#pragma unroll
        for (int i = 0; i < T::kSide; ++i) {
            w[i] = slices.weights[which][k][tile_index<T>(ty, i, T::kRows)];
            x[i] = slices.input[which][k][tile_index<T>(tx, i, T::kPixels)];
        }
#pragma unroll
        for (int i = 0; i < T::kSide; ++i)
#pragma unroll
            for (int j = 0; j < T::kSide; ++j) sums[i][j] = __fmaf_rn(w[i], x[j], sums[i][j]);
    }
}

template <class T>
__global__ void __launch_bounds__(kGemmThreads)
    implicit_gemm_f32(const __grid_constant__ GemmArgs a) {
    auto* const memory = reinterpret_cast<GemmSlices<T>*>(gemm_slices);
    GemmSlices<T>& slices = *memory;
    const auto thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const GemmPlace at = gemm_place<T::kRows, T::kPixels>(a);
    const unsigned own = at.first_pixel + static_cast<unsigned>(thread % T::kPixels);
    const bool there = own < a.pixels;
    const PixelPlace pixel = pixel_place(a.shape, there ? own : 0, at.group);
    constexpr int kAcross = T::kPixels / T::kSide;
    const int tx = thread % kAcross;
    const int ty = thread / kAcross;

    GemmSums<T> sums{};
    GemmPrefetch<T> next;
    const GemmRange range = gemm_range(a);
    fetch_slice<T>(a, at, pixel, there, range.begin, next);
    place_slice<T>(next, 0, slices);
    __syncthreads();
    int which = 0;
#pragma unroll 1
    for (int k = range.begin + kGemmDepth; k <= range.end; k += kGemmDepth) {
        if (k < range.end) fetch_slice<T>(a, at, pixel, there, k, next);
        multiply_slice<T>(slices, which, tx, ty, sums);
        if (k < range.end) place_slice<T>(next, which ^ 1, slices);
        which ^= 1;
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < T::kSide; ++j) {
        const unsigned p = at.first_pixel + static_cast<unsigned>(tile_index<T>(tx, j, T::kPixels));
        if (p >= a.pixels) continue;
        const OutputPlace out = output_place(a.shape, p);
#pragma unroll
        for (int i = 0; i < T::kSide; ++i) {
            const int row = at.first_row + tile_index<T>(ty, i, T::kRows);
            if (row >= a.shape.group_outputs) continue;
            const auto m = static_cast<unsigned>(at.group * a.shape.group_outputs + row);
            store_product<ElementF32>(a, out, m, p, sums[i][j]);
        }
    }
}

}  // namespace weft
