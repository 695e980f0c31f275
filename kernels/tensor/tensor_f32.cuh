// The kernel tensor_f32: fp32 images by any taps as banded Toeplitz matrices on tensor cores.
//
// Idea: a float is the sum of two halves, the second being the rounding error of the first, to
// 2^-23 of itself. With x = x' + x" and w = w' + w", w x is w' x' + w' x" + w" x' to 2^-21: three
// products of halves, which tensor cores add up in fp32 at ten times the rate of fp32 products.
// Bands and fragments are those of tensor_dense.cuh, the two halves of eight samples being
// neighbours, so that one mma.m16n8k16 is a product of both with w', and another one of two chunks
// of x' with w".
//
// Halves reach from 2^16 down to 2^-24. So the samples of a tile are scaled by a power of two that
// brings the largest to 2^14..2^15, and so are the taps: what lies below the largest by 2^-39 is
// lost. A tile with a NaN or an infinity, which a band of zeros would spread, is summed directly.
//
// Samples come by asynchronous copies, the ends are made as in tensor_tile.cuh, and the floats of a
// chunk are replaced by their halves in place.
//
// Arithmetic: a sum errs by at most γ_3n Σ|w x|, three times as much as fp32 may, and by 2^-39 of
// the largest tap times the largest sample of the tile per tap.
// Source: split operands, Markidis et al. (IPDPSW 2018), Ootomo and Yokota (IJHPCA 2022); bands as
// in tensor_dense.cuh.
// Launch: blocks of 128 or 256 threads for 32 or 64 rows of 128 samples; shared memory for their
// tile.
// Cost per 128 outputs and tap row: 1.5 mma.m16n8k16 per chunk of the band, ⌈(K + 7) / 8⌉ or one
// more.
// Registers (sm_90, nvcc 13.0, no spills, no stack): 90; three blocks of 256 on a multiprocessor
// would spill, and take 186 µs instead of 160 at 31×31.
#pragma once

#include "kernels/common/early_launch.cuh"
#include "kernels/tensor/tensor_band.cuh"
#include "kernels/tensor/tensor_f32.h"
#include "kernels/tensor/tensor_tile.cuh"

namespace weft {

constexpr int kMaxSplitChunks = 5;

struct SplitChunk {
    ChunkFragment upper;
    ChunkFragment lower;
};

// The bits of the largest |sample| of the tile; any NaN is larger than infinity. All threads of the
// block; has a barrier.
__device__ __forceinline__ int largest_of_tile(const TensorTile& t, int thread) {
    const int vectors = t.rows * t.pitch;
    int largest = 0;
#pragma unroll 4
    for (int item = thread; item < vectors; item += t.threads) {
        const Words<4> four = tensor_tile[item];
#pragma unroll
        for (const std::uint32_t bits : four.v)
            largest = max(largest, static_cast<int>(bits & 0x7FFFFFFFU));
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        largest = max(largest,
                      static_cast<int>(__shfl_sync(0xFFFFFFFFU, static_cast<std::uint32_t>(largest),
                                                   (thread & 31) ^ step)));
    int* const of_warps = reinterpret_cast<int*>(tensor_tile + vectors);
    if ((thread & 31) == 0) of_warps[thread >> 5] = largest;
    __syncthreads();
    for (int warp = 0; warp < t.threads / 32; ++warp) largest = max(largest, of_warps[warp]);
    return largest;
}

// A power of two, and its inverse.
struct TileScale {
    // `largest`: bits of a finite float. It becomes 2^14 to 2^15, if that factor can be had.
    __device__ __forceinline__ explicit TileScale(int largest) {
        const int exponent = min(268 - (largest >> 23), 253);
        factor = __uint_as_float(static_cast<std::uint32_t>(exponent) << 23);
        inverse = __uint_as_float(static_cast<std::uint32_t>(254 - exponent) << 23);
    }
    float factor;
    float inverse;
};

// Replaces each eight floats by their upper halves and their lower ones. All threads of the block;
// a barrier must follow.
__device__ __forceinline__ void split_tile(const TensorTile& t, int thread, float factor) {
    const int chunks = t.segments / 2;
#pragma unroll 2
    for (int item = thread; item < t.rows * chunks; item += t.threads) {
        const int row = item * t.segment_reciprocal >> kReciprocalBits;
        Words<4>* const pair = tensor_tile + row * t.pitch + 2 * (item - row * chunks);
        const Words<4> floats[2] = {pair[0], pair[1]};
        Words<4> upper;
        Words<4> lower;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float first = __uint_as_float(floats[k / 2].v[k % 2 * 2]) * factor;
            const float second = __uint_as_float(floats[k / 2].v[k % 2 * 2 + 1]) * factor;
            split_halves(first, second, upper.v[k], lower.v[k]);
        }
        pair[0] = upper;
        pair[1] = lower;
    }
}

// The bands of a lane, pair after pair of chunks, each loaded one pair ahead.
struct SplitBands {
    __device__ __forceinline__ SplitBands(const TensorArgs& args, int lane)
        : next(reinterpret_cast<const Words<4>*>(args.bands) + lane),
          pairs_left(args.tap_rows * ((args.chunks + 1) / 2)),
          ahead(*next) {}

    __device__ __forceinline__ Words<4> take() {
        const Words<4> taken = ahead;
        next += --pairs_left > 0 ? 32 : 0;
        ahead = *next;
        return taken;
    }

    const Words<4>* next;
    int pairs_left;
    Words<4> ahead;
};

// Adds `Chunks` chunks of the band to every sum. Each chunk of samples is loaded once for all
// output groups that it reaches: shared memory limits the rate before the tensor cores do.
template <int Chunks>
__device__ __forceinline__ void multiply_split(const Words<4>* row, SplitBands& bands,
                                               TensorSums& sums) {
    SplitChunk chunks[kTensorTiles + Chunks - 1];
#pragma unroll
    for (int c = 0; c < kTensorTiles + Chunks - 1; ++c)
        load_chunks(row + 2 * c, chunks[c].upper, chunks[c].lower);
#pragma unroll
    for (int c = 0; c < Chunks; c += 2) {
        const Words<4> band = bands.take();
#pragma unroll
        for (int n = c; n < c + kTensorTiles; ++n)
            multiply_chunks(sums[n - c], chunks[n].upper, chunks[n].lower, band.v[0], band.v[0]);
        if (c + 1 == Chunks) {
#pragma unroll
            for (int n = c; n < c + kTensorTiles; ++n)
                multiply_chunk(sums[n - c], chunks[n].upper, band.v[2]);
            break;
        }
#pragma unroll
        for (int n = c; n < c + kTensorTiles; ++n)
            multiply_chunks(sums[n - c], chunks[n + 1].upper, chunks[n + 1].lower, band.v[1],
                            band.v[1]);
#pragma unroll
        for (int n = c; n < c + kTensorTiles; ++n)
            multiply_chunks(sums[n - c], chunks[n].upper, chunks[n + 1].upper, band.v[2],
                            band.v[3]);
    }
}

// A tap row's band: four chunks at a time, and one to five at its end.
__device__ __forceinline__ void multiply_split_row(const Words<4>* row, int chunks,
                                                   SplitBands& bands, TensorSums& sums) {
#pragma unroll 1
    for (; chunks > kMaxSplitChunks; chunks -= 4) {
        multiply_split<4>(row, bands, sums);
        row += 2 * 4;
    }
    switch (chunks) {
        case 1:
            return multiply_split<1>(row, bands, sums);
        case 2:
            return multiply_split<2>(row, bands, sums);
        case 3:
            return multiply_split<3>(row, bands, sums);
        case 4:
            return multiply_split<4>(row, bands, sums);
        default:
            return multiply_split<kMaxSplitChunks>(row, bands, sums);
    }
}

__device__ __forceinline__ void sum_split(const TensorArgs& args, const TensorWarp& warp,
                                          TensorSums& sums) {
#pragma unroll
    for (int n = 0; n < kTensorTiles; ++n) {
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[n][v] = 0.0F;
    }
    SplitBands bands(args, warp.lane);
    const Words<4>* row = warp.chunks + warp.sample / 8;
#pragma unroll 1
    for (int j = 0; j < args.tap_rows; ++j) {
        multiply_split_row(row, args.chunks, bands, sums);
        row += args.tile.pitch;
    }
}

__device__ __forceinline__ float* f32_at(const TensorArgs& args, int y, int sample) {
    return reinterpret_cast<float*>(args.images.dst +
                                    static_cast<long long>(y) * args.images.dst_pitch) +
           sample;
}

// A lane's pairs of columns, eight bytes each: the four lanes of a quad write 32 bytes of a row.
__device__ __forceinline__ void store_floats(const TensorArgs& args, const TensorTarget& target,
                                             int lane, float inverse, const TensorSums& sums) {
    const TensorChannels channels(args, lane);
    const int samples = args.images.x.length << args.tile.channel_shift;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int y = target.y + lane / 4 + 8 * half;
#pragma unroll
        for (int n = 0; n < kTensorTiles; ++n) {
            Floats<2> out;
#pragma unroll
            for (int v = 0; v < 2; ++v) {
                const int c = channels.of[v];
                out.v[v] = __fmaf_rn(sums[n][2 * half + v] * inverse * args.inverse[0][c],
                                     args.images.scale[c], args.images.bias[c]);
            }
            const int sample = target.sample + 8 * n + lane % 4 * 2;
            if (target.whole) {
                *reinterpret_cast<Floats<2>*>(f32_at(args, y, sample)) = out;
            } else if (y < args.images.y.length) {
#pragma unroll
                for (int v = 0; v < 2; ++v)
                    if (sample + v < samples) *f32_at(args, y, sample + v) = out.v[v];
            }
        }
    }
}

// Outputs of a tile that has not been split, by fp32 products: a NaN or an infinity reaches those
// that it belongs to.
__device__ __forceinline__ void filter_directly(const TensorF32Args& args,
                                                const TensorOrigin& origin, int thread) {
    const TensorArgs& a = args.tensor;
    const int step = 1 << a.tile.channel_shift;
    const int samples = a.images.x.length << a.tile.channel_shift;
    const int taps = args.tap_width * a.tap_rows;
#pragma unroll 1
    for (int item = thread; item < a.block_rows * kTensorBlockSamples; item += a.tile.threads) {
        const int y = item / kTensorBlockSamples;
        const int column = item % kTensorBlockSamples;
        if (origin.y + y >= a.images.y.length || origin.sample + column >= samples) continue;
        const int c = column & (step - 1);
        const float* const weights = args.weights + (args.entries == 1 ? 0 : c * taps);
        float sum = 0.0F;
#pragma unroll 1
        for (int k = 0; k < taps; ++k) {
            const int j = k / args.tap_width;
            const auto* const row =
                reinterpret_cast<const float*>(tensor_tile + (y + j) * a.tile.pitch);
            sum = __fmaf_rn(weights[k],
                            row[column + args.first_tap + (k - j * args.tap_width) * step], sum);
        }
        *f32_at(a, origin.y + y, origin.sample + column) =
            __fmaf_rn(sum, a.images.scale[c], a.images.bias[c]);
    }
}

// A block's outputs.
__device__ __forceinline__ void filter_f32(const TensorF32Args& args) {
    constexpr int kInfinity = 0x7F800000;
    const TensorArgs& a = args.tensor;
    const int thread = tensor_thread();
    const TensorOrigin origin = tensor_origin(a, static_cast<int>(blockIdx.x));
    wait_for_predecessors();
    let_successor_start();
    const TilePlace<F32> place(a, origin);
    fetch_tile<F32>(a, place, thread, tensor_tile);
    wait_copies();
    __syncthreads();
    if (place.at_end) {
        make_ends<F32>(a, place, thread, tensor_tile);
        __syncthreads();
    }
    const int largest = largest_of_tile(a.tile, thread);
    if (largest >= kInfinity) {
        filter_directly(args, origin, thread);
        return;
    }
    const TileScale scale(largest);
    split_tile(a.tile, thread, scale.factor);
    __syncthreads();
    const TensorWarp warp(a, thread, tensor_tile);
    TensorSums sums;
    sum_split(a, warp, sums);
    store_floats(a, warp.target(a, origin), warp.lane, scale.inverse, sums);
}

}  // namespace weft
