// The layer forms of sparse_direct and sparse_direct_tiled: only nonzero weights are
// multiplied.
//
// sparse_direct: a thread is one output. It walks along its channel's list of values and stretched
// column indices: each is the distance from the output's first input element to the one that the
// weight meets, so that no column index has to be taken apart.
//
// sparse_direct_tiled: a block computes 64 or fewer output channels of a tile of pixels of four
// images from shared memory, chunk of input channels by chunk: the chunk's input with the padding's
// zeros, and its list of values and indices, fetched while the previous chunk is computed. The four
// images' elements are adjacent there: for an entry that its warp reads once, a lane multiplies
// four elements that it reads as one vector, two or three times. Rows of input are spaced so that
// lanes of neighbouring rows use different banks. Lists are dealt to the warps so that all have
// about as many entries. The limit is shared memory, one word per product. Fewer than four images
// are computed one by one.
// Source: Fang, Xing, Chen, Zhang, Computer Engineering & Science 2018-12; Park et al., ICLR 2017
// Launch: sparse_direct 32 × 8, one output channel per block; tiled 32 × 16 or 32 × 8
// Limits: nchw (tiled); weights' lists fit into memory as 12 bytes each
#pragma once

#include "kernels/common/async_copy.cuh"
#include "kernels/common/vector.h"
#include "kernels/layers/layer_taps.cuh"
#include "kernels/layers/sparse_direct_tiled.h"

namespace weft {

constexpr int kSparseDirectWarps = 8;
constexpr int kSparseDirectBlock = 32 * kSparseDirectWarps;

template <class E>
__global__ void __launch_bounds__(kSparseDirectBlock)
    sparse_direct(const __grid_constant__ SparseArgs a) {
    const LayerShape& s = a.shape;
    const auto row = static_cast<int>(blockIdx.x / a.pixel_blocks);
    const unsigned pixel =
        (blockIdx.x % a.pixel_blocks * kSparseDirectWarps + threadIdx.y) * 32 + threadIdx.x;
    if (pixel >= a.pixels) return;
    const PixelPlace place = pixel_place(s, pixel, row / s.group_outputs);
    float sum = 0.0F;
    for (int k = a.begin[row]; k < a.begin[row + 1]; ++k)
        sum = __fmaf_rn(a.values[k], E::value(gathered<E>(s, a.input, place, a.places[k])), sum);
    const OutputPlace out = output_place(s, pixel);
    static_cast<typename E::Stored*>(
        a.output)[out.first + static_cast<unsigned>(row) * out.channel] = E::stored(sum);
}

extern __shared__ Words<4> sparse_tile[];

// `Blocks`: resident blocks that the registers must allow.
template <class Element, int Images, int Pixels, int Rows, int Warps, int Blocks>
struct SparseTiled {
    using E = Element;
    using Stored = typename E::Stored;
    static constexpr int kImages = Images, kPixels = Pixels, kRows = Rows, kWarps = Warps;
    static constexpr int kThreads = 32 * Warps, kBlockRows = Rows * Warps, kBlocks = Blocks;
};

// A block's place: its tile's first image, row and column, its group and block of rows.
struct SparsePlace {
    int n, y, x, rows;
};

template <class F>
__device__ __forceinline__ SparsePlace sparse_place(const SparseTiledArgs& a) {
    auto at = static_cast<int>(blockIdx.x);
    SparsePlace place{};
    place.rows = at % (a.row_blocks * (a.shape.in_channels / a.shape.group_inputs));
    at /= a.row_blocks * (a.shape.in_channels / a.shape.group_inputs);
    place.x = at % a.tiles_x * a.tile_width;
    at /= a.tiles_x;
    place.y = at % a.tiles_y * a.tile_height;
    place.n = at / a.tiles_y * F::kImages;
    return place;
}

// The source of an element of a channel's input in the first image's plane, -1 for padding, and its
// destination in shared memory, where images vary fastest.
struct alignas(8) SparseMove {
    int from, to;
};

template <class F>
__device__ __forceinline__ void find_moves(const SparseTiledArgs& a, const SparsePlace& place,
                                           int thread, SparseMove* moves) {
    const LayerShape& s = a.shape;
    const int count = a.patch_height * a.patch_width * F::kImages;
    for (int k = thread; k < count; k += F::kThreads) {
        const int n = k % F::kImages;
        const int row = k / F::kImages / a.patch_width;
        const int column = k / F::kImages % a.patch_width;
        const int y = place.y * s.stride_y - s.padding_y + row;
        const int x = place.x * s.stride_x - s.padding_x + column;
        const bool there = place.n + n < s.batch && y >= 0 && y < s.height && x >= 0 && x < s.width;
        moves[k] = {there ? (n * s.in_channels * s.height + y) * s.width + x : -1,
                    (row * a.pitch + column) * F::kImages + n};
    }
}

// All threads start to copy a chunk's list and input. Elements of the padding stay as they are.
template <class F>
__device__ __forceinline__ void fetch_chunk(const SparseTiledArgs& a, const SparsePlace& place,
                                            int chunk, int thread, const SparseMove* moves,
                                            Words<4>* stage) {
    const LayerShape& s = a.shape;
    const auto* const list = static_cast<const Words<4>*>(a.lists) +
                             static_cast<long long>(place.rows * a.chunks + chunk) * a.list_vectors;
    for (int k = thread; k < a.list_vectors; k += F::kThreads) copy_vector(stage + k, list + k);
    auto* const input = reinterpret_cast<float*>(stage + a.list_vectors);
    const int first = chunk * a.chunk_channels;
    const int channels = min(a.chunk_channels, s.group_inputs - first);
    const int plane = s.height * s.width;
    const auto* const planes = static_cast<const typename F::Stored*>(a.input) +
                               (static_cast<long long>(place.n) * s.in_channels +
                                place.rows / a.row_blocks * s.group_inputs + first) *
                                   plane;
    const int count = a.patch_height * a.patch_width * F::kImages;
    for (int k = thread; k < count; k += F::kThreads) {
        const SparseMove move = moves[k];
        if (move.from < 0) continue;
#pragma unroll 4
        for (int c = 0; c < channels; ++c) {
            const auto* const from = planes + move.from + c * plane;
            float* const to = input + move.to + c * a.patch;
            if constexpr (sizeof(typename F::Stored) == 4)
                copy_word(to, from);
            else
                *to = F::E::value(*from);
        }
    }
}

template <class F>
using SparseSums = Floats<F::kImages>[F::kRows][F::kPixels];

// The warp's rows of one chunk. `pixels`: where the lane's outputs' windows begin in `input`.
template <class F>
__device__ __forceinline__ void add_chunk(const SparseEntry* entries, const int* begin,
                                          const float* input, const int (&pixels)[F::kPixels],
                                          SparseSums<F>& sums) {
#pragma unroll
    for (int r = 0; r < F::kRows; ++r) {
        const int end = begin[r + 1];
#pragma unroll 4
        for (int k = begin[r]; k < end; ++k) {
            const SparseEntry entry = entries[k];
#pragma unroll
            for (int p = 0; p < F::kPixels; ++p) {
                const auto values =
                    *reinterpret_cast<const Floats<F::kImages>*>(input + entry.offset + pixels[p]);
#pragma unroll
                for (int n = 0; n < F::kImages; ++n)
                    sums[r][p].v[n] = __fmaf_rn(entry.value, values.v[n], sums[r][p].v[n]);
            }
        }
    }
}

// Pixel `index` of the block's tile.
struct SparsePixel {
    int y, x;
    bool there;
};

__device__ __forceinline__ SparsePixel sparse_pixel(const SparseTiledArgs& a, int index) {
    SparsePixel at{index / a.tile_width, index % a.tile_width, true};
    at.there = at.y < a.tile_height;
    if (!at.there) at = {0, 0, false};
    return at;
}

template <class F>
__device__ __forceinline__ void store_sums(const SparseTiledArgs& a, const SparsePlace& place,
                                           const SparseSums<F>& sums) {
    const LayerShape& s = a.shape;
    const int* const rows =
        a.rows + place.rows * F::kBlockRows + static_cast<int>(threadIdx.y) * F::kRows;
    auto* const output = static_cast<typename F::Stored*>(a.output);
#pragma unroll
    for (int p = 0; p < F::kPixels; ++p) {
        const SparsePixel at = sparse_pixel(a, p * 32 + static_cast<int>(threadIdx.x));
        const int y = place.y + at.y;
        const int x = place.x + at.x;
        if (!at.there || y >= s.out_height || x >= s.out_width) continue;
#pragma unroll
        for (int r = 0; r < F::kRows; ++r) {
            const int row = rows[r];
            if (row < 0) continue;
#pragma unroll
            for (int n = 0; n < F::kImages; ++n) {
                if (place.n + n >= s.batch) continue;
                const long long image = static_cast<long long>(place.n + n) * s.out_channels;
                output[((image + row) * s.out_height + y) * s.out_width + x] =
                    F::E::stored(sums[r][p].v[n]);
            }
        }
    }
}

template <class F>
__global__ void __launch_bounds__(F::kThreads, F::kBlocks)
    sparse_direct_tiled(const __grid_constant__ SparseTiledArgs a) {
    const SparsePlace place = sparse_place<F>(a);
    const auto thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    auto* const moves = reinterpret_cast<SparseMove*>(sparse_tile + 2 * a.stage_vectors);
    for (int k = thread; k < 2 * a.stage_vectors; k += F::kThreads) sparse_tile[k] = {};
    find_moves<F>(a, place, thread, moves);
    __syncthreads();
    const auto stage = [&](int chunk) { return sparse_tile + chunk % 2 * a.stage_vectors; };
    fetch_chunk<F>(a, place, 0, thread, moves, stage(0));
    close_copies();
    int pixels[F::kPixels];
#pragma unroll
    for (int p = 0; p < F::kPixels; ++p) {
        const SparsePixel at = sparse_pixel(a, p * 32 + static_cast<int>(threadIdx.x));
        pixels[p] = (at.y * a.shape.stride_y * a.pitch + at.x * a.shape.stride_x) * F::kImages;
    }
    SparseSums<F> sums{};
#pragma unroll 1
    for (int chunk = 0; chunk < a.chunks; ++chunk) {
        wait_copies_before<0>();
        __syncthreads();
        if (chunk + 1 < a.chunks) {
            fetch_chunk<F>(a, place, chunk + 1, thread, moves, stage(chunk + 1));
            close_copies();
        }
        const Words<4>* const list = stage(chunk);
        add_chunk<F>(reinterpret_cast<const SparseEntry*>(list + a.list_head),
                     reinterpret_cast<const int*>(list) + threadIdx.y * F::kRows,
                     reinterpret_cast<const float*>(list + a.list_vectors), pixels, sums);
    }
    store_sums<F>(a, place, sums);
}

using SparseKernel = void (*)(SparseTiledArgs);

// The compiled kernel of a form, from the member template tiled() of `kernels`: the program and the
// tests each have one of the same name.
template <class E, class Kernels>
SparseKernel pick_sparse(const SparseForm& form, const Kernels& kernels) {
    if (form == kSparseFew) return kernels.template tiled<SparseTiled<E, 1, 2, 1, 8, 3>>();
    if (form == kSparseThin) return kernels.template tiled<SparseTiled<E, 4, 2, 2, 16, 2>>();
    if (form == kSparseHigh) return kernels.template tiled<SparseTiled<E, 4, 3, 4, 16, 1>>();
    return kernels.template tiled<SparseTiled<E, 4, 2, 4, 16, 2>>();
}

template <class Kernels>
SparseKernel pick_sparse(const SparseForm& form, LayerType type, const Kernels& kernels) {
    return type == LayerType::f32 ? pick_sparse<ElementF32>(form, kernels)
                                  : pick_sparse<ElementF16>(form, kernels);
}

}  // namespace weft
