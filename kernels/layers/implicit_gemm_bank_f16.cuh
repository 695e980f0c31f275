// implicit_gemm for few input channels, f16 in nhwc, on tensor cores with fp32 sums.
//
// Idea: pixels are widened to four channels in shared memory, so that four taps of a row are the
// sixteen contiguous products of an mma: the gathered row of a pixel is the input from that pixel
// on. For 16 pixels × 16 products lane 4 g + q needs four of its words
//
//   word(s) = pixel g + 2 s, channels 2 (q % 2) …, of tap q / 2:      first  second
//                                                          rows g      s      s + 1
//                                                          rows g + 8  s + 4  s + 5
//
// and those of the next 16 pixels or four taps are the same words from s + 8 or s + 2 on: 32 words
// for 16 multiplications, and again for the warp's second row of outputs. Maps are ordered so that
// a lane ends with four neighbouring ones of a pixel and 32 lanes store 256 contiguous bytes.
// Source: cuDNN's implicit GEMM (Chetlur et al., 2014); fragments as in PTX, see mma.cuh
// Launch: 256 threads per tile, tiles of x fastest; weights, then input in shared memory
// Limits: finite input, because it is multiplied by the zero taps that fill up four
#pragma once

#include "kernels/common/elements.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/layers/implicit_gemm_bank_f32.cuh"

namespace weft {

// Each is a lane's part of B of a chunk: two tiles of eight maps.
extern __shared__ Words<4> bank_fragments[];

constexpr int kHalfBankThreads = 32 * kHalfBankWarps;

template <int Chunks>
constexpr int kHalfBankPitch = kHalfBankPixels + 4 * Chunks;  // pixels

// Fetches zeros outside the plane and for missing channels.
template <int Chunks>
__device__ __forceinline__ void fetch_bank_pixels(const BankArgs& a, const BankPlace& at,
                                                  int thread, Words<2>* to) {
    const LayerShape& s = a.shape;
    const auto* const input = static_cast<const std::uint16_t*>(a.input) +
                              static_cast<long long>(at.n) * s.height * s.width * s.in_channels;
#pragma unroll 4
    for (int k = thread; k < a.tile_rows * kHalfBankPitch<Chunks>; k += kHalfBankThreads) {
        const int y = at.y - s.padding_y + k / kHalfBankPitch<Chunks>;
        const int x = at.x - s.padding_x + k % kHalfBankPitch<Chunks>;
        const bool inside = y >= 0 && y < s.height && x >= 0 && x < s.width;
        const auto* const pixel =
            input + (inside ? (static_cast<long long>(y) * s.width + x) * s.in_channels : 0);
        std::uint32_t channels[4];
#pragma unroll
        for (int c = 0; c < 4; ++c) channels[c] = inside && c < s.in_channels ? pixel[c] : 0;
        to[k] = {{channels[1] << 16 | channels[0], channels[3] << 16 | channels[2]}};
    }
}

using HalfBankSums = float[kHalfBankRows][kHalfBankTiles][2][4];

// Words of a warp's row, see above.
template <int Chunks>
constexpr int kBankWords = 8 * kHalfBankTiles + 2 * Chunks - 4;

// Multiplies a row of input by a row of taps; `weights` are the lane's of its first chunk.
template <int Chunks>
__device__ __forceinline__ void add_half_row(const std::uint32_t (&words)[kBankWords<Chunks>],
                                             const Words<4>* weights,
                                             float (&sums)[kHalfBankTiles][2][4]) {
#pragma unroll
    for (int chunk = 0; chunk < Chunks; ++chunk) {
        const Words<4> b = weights[chunk * 32];
#pragma unroll
        for (int t = 0; t < kHalfBankTiles; ++t) {
            const int s = 8 * t + 2 * chunk;
            const ChunkFragment first{words[s], words[s + 4]};
            const ChunkFragment second{words[s + 1], words[s + 5]};
            multiply_chunks(sums[t][0], first, second, b.v[0], b.v[1]);
            multiply_chunks(sums[t][1], first, second, b.v[2], b.v[3]);
        }
    }
}

__device__ __forceinline__ std::uint32_t packed_halves(float low, float high) {
    return static_cast<std::uint32_t>(float_to_half(high)) << 16 | float_to_half(low);
}

// Stores four neighbouring maps of a pixel, from `map` on.
__device__ __forceinline__ void store_bank_maps(const BankArgs& a, const BankPlace& at, int y,
                                                int x, int map, const float (&maps)[4]) {
    const LayerShape& s = a.shape;
    if (x >= s.out_width || map >= s.out_channels) return;
    auto* const output =
        static_cast<std::uint16_t*>(a.output) +
        ((static_cast<long long>(at.n) * s.out_height + y) * s.out_width + x) * s.out_channels +
        map;
    if (a.whole_vectors) {
        *reinterpret_cast<Words<2>*>(output) = {
            {packed_halves(maps[0], maps[1]), packed_halves(maps[2], maps[3])}};
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (map + k < s.out_channels) output[k] = float_to_half(maps[k]);
}

template <int Chunks>
__global__ void __launch_bounds__(kHalfBankThreads, 2)
    layer_bank_f16(const __grid_constant__ BankArgs a) {
    const LayerShape& s = a.shape;
    const auto lane = static_cast<int>(threadIdx.x);
    const auto warp = static_cast<int>(threadIdx.y);
    const BankPlace at = bank_place<kHalfBankHeight, kHalfBankPixels>(a);
    auto* const pixels = reinterpret_cast<Words<2>*>(bank_fragments + a.weight_vectors);
    fetch_bank_weights<kHalfBankThreads>(a, at, warp * 32 + lane, bank_fragments);
    fetch_bank_pixels<Chunks>(a, at, warp * 32 + lane, pixels);
    wait_copies();
    __syncthreads();
    const int first_row = warp * kHalfBankRows;
    if (at.y + first_row >= s.out_height) return;

    HalfBankSums sums{};
    const std::uint32_t* input = pixels[first_row * kHalfBankPitch<Chunks> + lane / 4].v + lane % 4;
    const Words<4>* const weights = bank_fragments + lane;
#pragma unroll 1
    for (int r = 0; r < s.taps_y + kHalfBankRows - 1; ++r) {
        std::uint32_t words[kBankWords<Chunks>];
#pragma unroll
        for (int k = 0; k < kBankWords<Chunks>; ++k) words[k] = input[4 * k];
#pragma unroll
        for (int o = 0; o < kHalfBankRows; ++o)
            if (r >= o && r - o < s.taps_y)
                add_half_row<Chunks>(words, weights + (r - o) * Chunks * 32, sums[o]);
        input += 2 * kHalfBankPitch<Chunks>;
    }
#pragma unroll
    for (int o = 0; o < kHalfBankRows; ++o) {
        const int y = at.y + first_row + o;
        if (y >= s.out_height) return;
#pragma unroll
        for (int t = 0; t < kHalfBankTiles; ++t) {
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const float(&left)[4] = sums[o][t][0];
                const float(&right)[4] = sums[o][t][1];
                const float maps[4] = {left[2 * h], left[2 * h + 1], right[2 * h],
                                       right[2 * h + 1]};
                store_bank_maps(a, at, y, at.x + 16 * t + 8 * h + lane / 4,
                                at.first_map + lane % 4 * 4, maps);
            }
        }
    }
}

}  // namespace weft
