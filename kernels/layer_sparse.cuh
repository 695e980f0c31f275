// The layer forms of the rows sparse_direct and sparse_direct_tiled: only weights that are not zero
// are multiplied.
//
// sparse_direct: a thread is one output. It walks along its channel's list of values and stretched
// column indices: each is the distance from the output's first input element to the one that the
// weight meets, so that no column index has to be taken apart.
//
// sparse_direct_tiled: a block computes 64 channels of 256 outputs from shared memory, chunk of
// input channels by chunk: the chunk's input, with the padding's zeros, and its values and indices.
// A lane keeps 8 × 8 sums in registers: for an entry that its warp reads once, it multiplies eight
// input elements, which lie 32 outputs apart. Lists are dealt to the warps so that all have about
// as many entries. What limits it is one word of shared memory a product.
// Source: Fang, Xing, Chen, Zhang, Computer Engineering & Science 2018-12; Park et al., ICLR 2017
// Launch: sparse_direct 32 × 8, one output channel a block; tiled 32 × 8
// Limits: nchw (tiled); weights' lists fit into memory as 12 bytes each
#pragma once

#include "kernels/layer_sparse.h"
#include "kernels/layer_taps.cuh"

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

extern __shared__ SparseEntry sparse_tile[];

// A block's place: its tile's first image, row and column, its group and block of rows.
struct SparsePlace {
    int n, y, x, rows;
};

__device__ __forceinline__ SparsePlace sparse_place(const SparseTiledArgs& a) {
    auto at = static_cast<int>(blockIdx.x);
    SparsePlace place{};
    place.rows = at % (a.row_blocks * (a.shape.in_channels / a.shape.group_inputs));
    at /= a.row_blocks * (a.shape.in_channels / a.shape.group_inputs);
    place.x = at % a.tiles_x * a.tile_width;
    at /= a.tiles_x;
    place.y = at % a.tiles_y * a.tile_height;
    place.n = at / a.tiles_y * a.images;
    return place;
}

// All threads: for every element of a channel's input, where it lies in the first image's plane, or
// -1 for padding.
__device__ __forceinline__ void find_sources(const SparseTiledArgs& a, const SparsePlace& place,
                                             int thread, int* sources) {
    const LayerShape& s = a.shape;
    const int area = a.patch_height * a.patch_width;
    for (int k = thread; k < a.patch; k += 32 * kSparseWarps) {
        const int n = k / area;
        const int y = place.y * s.stride_y - s.padding_y + k % area / a.patch_width;
        const int x = place.x * s.stride_x - s.padding_x + k % area % a.patch_width;
        const bool there = place.n + n < s.batch && y >= 0 && y < s.height && x >= 0 && x < s.width;
        sources[k] = there ? (n * s.in_channels * s.height + y) * s.width + x : -1;
    }
}

// All threads: a chunk's input, a warp a channel.
template <class E>
__device__ __forceinline__ void load_chunk(const SparseTiledArgs& a, const SparsePlace& place,
                                           int chunk, const int* sources, float* input) {
    const LayerShape& s = a.shape;
    const auto lane = static_cast<int>(threadIdx.x);
    const int group = place.rows / a.row_blocks;
    const int first = chunk * a.chunk_channels;
    const int channels = min(a.chunk_channels, s.group_inputs - first);
    for (auto c = static_cast<int>(threadIdx.y); c < channels; c += kSparseWarps) {
        const long long channel =
            static_cast<long long>(place.n) * s.in_channels + group * s.group_inputs + first + c;
        const auto* const plane =
            static_cast<const typename E::Stored*>(a.input) + channel * s.height * s.width;
#pragma unroll 4
        for (int k = lane; k < a.patch; k += 32) {
            const int source = sources[k];
            input[c * a.patch + k] = source < 0 ? 0.0F : E::value(plane[source]);
        }
    }
}

using SparseSums = float[kSparseRows][kSparsePixels];

// The warp's eight rows of one chunk. `pixels`: where the lane's outputs' windows begin in `input`.
__device__ __forceinline__ void add_chunk(const SparseEntry* entries, const int* begin,
                                          const float* input, const int (&pixels)[kSparsePixels],
                                          SparseSums& sums) {
    const int first = begin[-static_cast<int>(threadIdx.y) * kSparseRows];
#pragma unroll
    for (int r = 0; r < kSparseRows; ++r) {
        const int end = begin[r + 1] - first;
#pragma unroll 2
        for (int k = begin[r] - first; k < end; ++k) {
            const SparseEntry entry = entries[k];
#pragma unroll
            for (int p = 0; p < kSparsePixels; ++p)
                sums[r][p] = __fmaf_rn(entry.value, input[entry.offset + pixels[p]], sums[r][p]);
        }
    }
}

// Pixel `index` of the block's tile.
struct SparsePixel {
    int n, y, x;
    bool there;
};

__device__ __forceinline__ SparsePixel sparse_pixel(const SparseTiledArgs& a, int index) {
    const int area = a.tile_height * a.tile_width;
    SparsePixel at{index / area, index % area / a.tile_width, index % a.tile_width, true};
    at.there = at.n < a.images;
    if (!at.there) at = {0, 0, 0, false};
    return at;
}

template <class E>
__device__ __forceinline__ void store_sums(const SparseTiledArgs& a, const SparsePlace& place,
                                           const SparseSums& sums) {
    const LayerShape& s = a.shape;
    const int* const rows =
        a.rows + place.rows * kSparseBlockRows + static_cast<int>(threadIdx.y) * kSparseRows;
    auto* const output = static_cast<typename E::Stored*>(a.output);
#pragma unroll
    for (int p = 0; p < kSparsePixels; ++p) {
        const SparsePixel at = sparse_pixel(a, p * 32 + static_cast<int>(threadIdx.x));
        const int n = place.n + at.n;
        const int y = place.y + at.y;
        const int x = place.x + at.x;
        if (!at.there || n >= s.batch || y >= s.out_height || x >= s.out_width) continue;
        const long long image = static_cast<long long>(n) * s.out_channels;
#pragma unroll
        for (int r = 0; r < kSparseRows; ++r) {
            if (rows[r] < 0) continue;
            output[((image + rows[r]) * s.out_height + y) * s.out_width + x] =
                E::stored(sums[r][p]);
        }
    }
}

template <class E>
__global__ void __launch_bounds__(32 * kSparseWarps, 2)
    sparse_direct_tiled(const __grid_constant__ SparseTiledArgs a) {
    const SparsePlace place = sparse_place(a);
    const auto thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    SparseEntry* const entries = sparse_tile;
    auto* const sources = reinterpret_cast<int*>(entries + a.capacity);
    auto* const input = reinterpret_cast<float*>(sources + a.patch);
    find_sources(a, place, thread, sources);
    int pixels[kSparsePixels];
#pragma unroll
    for (int p = 0; p < kSparsePixels; ++p) {
        const SparsePixel at = sparse_pixel(a, p * 32 + static_cast<int>(threadIdx.x));
        pixels[p] = (at.n * a.patch_height + at.y * a.shape.stride_y) * a.patch_width +
                    at.x * a.shape.stride_x;
    }
    SparseSums sums{};
    for (int chunk = 0; chunk < a.chunks; ++chunk) {
        const int* const begin = a.begin + (place.rows * a.chunks + chunk) * (kSparseBlockRows + 1);
        __syncthreads();
        load_chunk<E>(a, place, chunk, sources, input);
        for (int k = begin[0] + thread; k < begin[kSparseBlockRows]; k += 32 * kSparseWarps)
            entries[k - begin[0]] = a.entries[k];
        __syncthreads();
        add_chunk(entries, begin + static_cast<int>(threadIdx.y) * kSparseRows, input, pixels,
                  sums);
    }
    store_sums<E>(a, place, sums);
}

}  // namespace weft
