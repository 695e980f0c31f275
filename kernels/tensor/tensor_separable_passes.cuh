// Both passes of tensor_separable, each for 16 rows of a warp's strip, in registers.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/samples.cuh"
#include "kernels/tensor/interleaved_bytes.cuh"
#include "kernels/tensor/tensor_separable.h"

namespace weft {

// A warp computes `Tiles` times 16 pixels of a row at a time. It filters the first F of C channels;
// windows of 16 pixels are up to 32 · Halves wide.
template <int C, int F, int Halves, int Tiles>
struct StripGrid {
    static constexpr int kChannels = C;
    static constexpr int kFiltered = F;
    static constexpr int kHalves = Halves;
    static constexpr int kTiles = Tiles;
    static constexpr int kUnits = F * Tiles;  // of 16 outputs of a channel
    // Parts of a window, 32 pixels each: a tile's halves are every second one.
    static constexpr int kParts = Tiles == 1 ? Halves : Tiles + 2 * Halves - 2;
    static constexpr int kPartStep = Tiles == 1 ? 32 : 16;               // pixels
    static constexpr int kWindow = C * (kPartStep * (kParts - 1) + 32);  // bytes of a row
};

// 16 rows of the image around a warp's outputs. Lane 4 g + q has a part's pixels 8q to 8q + 7
// of rows g and g + 8, as they are in memory or channel by channel.
template <class Grid>
struct StripInput {
    ByteColumns of[Grid::kParts][2][Grid::kChannels];
};

template <class Grid>
__device__ __forceinline__ void separate_channels(StripInput<Grid>& in) {
    constexpr int C = Grid::kChannels;
#pragma unroll
    for (int part = 0; part < Grid::kParts; ++part) {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            ByteColumns(&bytes)[C] = in.of[part][r];
            std::uint32_t words[2][C];
#pragma unroll
            for (int k = 0; k < 2 * C; ++k) words[k / C][k % C] = bytes[k / 2].w[k % 2];
            separate_channels<C>(words[0]);
            separate_channels<C>(words[1]);
#pragma unroll
            for (int c = 0; c < C; ++c) bytes[c] = {{words[0][c], words[1][c]}};
        }
    }
}

// A value that stays in a register: the compiler would read a constant again in every step, and
// copy it to each accumulator.
__device__ __forceinline__ int kept_in_register(int value) {
    return __shfl_sync(0xFFFFFFFFU, value, 0);
}

// Start values of whole accumulators; floats are there as their bits.
struct StripStarts {
    __device__ __forceinline__ explicit StripStarts(const TensorSeparableArgs& args) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            rows[i] = kept_in_register(args.row_start);
            columns[i] = kept_in_register(static_cast<int>(args.column_start));
        }
    }
    int rows[4];
    int columns[4];
};

// This lane's fragments of a matrix of bands.
template <int Count>
struct BandRegisters {
    __device__ __forceinline__ BandRegisters(const std::uint32_t* bands, int lane) {
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            of[k][0] = {bands[(4 * k) * 32 + lane], bands[(4 * k + 1) * 32 + lane]};
            of[k][1] = {bands[(4 * k + 2) * 32 + lane], bands[(4 * k + 3) * 32 + lane]};
        }
    }
    ChunkFragment of[Count][2] = {};
};

template <StripSums kSums>
constexpr int kRowPlanes = kSums == StripSums::whole ? 1 : 2;

template <StripSums kSums, int Chunks>
constexpr int kColumnBands = kSums == StripSums::whole ? (Chunks + 1) / 2 : Chunks;

// Results of the row pass for 16 image rows: B fragments of the column pass, for outputs 4q, 4q + 1
// and for 4q + 2, 4q + 3 of each unit. Each is the rounded sums of rows 2q, 2q + 1 and of the
// rows eight below them; or the lower and the upper bytes of the whole sums of these four rows.
template <int Units>
struct StripChunk {
    std::uint32_t of[Units][2][2];
};

// The sums of one plane of row factors, for 16 outputs of eight rows.
template <int Planes, class Grid>
__device__ __forceinline__ void multiply_rows(const BandRegisters<Planes * Grid::kHalves>& bands,
                                              const int (&start)[4], const StripInput<Grid>& in,
                                              int plane, int unit, int r, int (&sums)[4]) {
    const int tile = unit / Grid::kFiltered;
    const int channel = unit % Grid::kFiltered;
#pragma unroll
    for (int half = 0; half < Grid::kHalves; ++half) {
        const ChunkFragment(&band)[2] = bands.of[Planes * half + plane];
        const int part = Grid::kTiles == 1 ? half : tile + 2 * half;
        const ByteColumns& bytes = in.of[part][r][channel];
        if (half == 0)
            multiply_taps(sums, start, band[0], band[1], bytes);
        else
            multiply_taps(sums, sums, band[0], band[1], bytes);
    }
}

template <class Grid>
__device__ __forceinline__ void filter_rows_rounded(const TensorSeparableArgs& args,
                                                    const BandRegisters<2 * Grid::kHalves>& bands,
                                                    const int (&start)[4],
                                                    const StripInput<Grid>& in,
                                                    StripChunk<Grid::kUnits>& out) {
#pragma unroll
    for (int unit = 0; unit < Grid::kUnits; ++unit) {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            int sums[2][4];
#pragma unroll
            for (int plane = 0; plane < 2; ++plane)
                multiply_rows<2>(bands, start, in, plane, unit, r, sums[plane]);
            float v[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float upper = __uint_as_float(static_cast<std::uint32_t>(sums[0][i]));
                const float lower = __uint_as_float(static_cast<std::uint32_t>(sums[1][i]));
                v[i] = __fmaf_rn(upper, args.upper_step,
                                 __fmaf_rn(lower, args.lower_step, args.offset));
            }
            const ChunkFragment halves = rounded_chunk(v);
            out.of[unit][0][r] = halves.low;
            out.of[unit][1][r] = halves.high;
        }
    }
}

template <class Grid>
__device__ __forceinline__ void filter_rows_whole(const BandRegisters<Grid::kHalves>& bands,
                                                  const int (&start)[4], const StripInput<Grid>& in,
                                                  StripChunk<Grid::kUnits>& out) {
#pragma unroll
    for (int unit = 0; unit < Grid::kUnits; ++unit) {
        std::uint32_t pairs[2][2];  // of two rows: both lower bytes, then both upper ones
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            int sums[4];
            multiply_rows<1>(bands, start, in, 0, unit, r, sums);
#pragma unroll
            for (int pair = 0; pair < 2; ++pair)
                pairs[pair][r] =
                    __byte_perm(static_cast<std::uint32_t>(sums[2 * pair]),
                                static_cast<std::uint32_t>(sums[2 * pair + 1]), 0x5140U);
        }
#pragma unroll
        for (int pair = 0; pair < 2; ++pair) {
            out.of[unit][pair][0] = __byte_perm(pairs[pair][0], pairs[pair][1], 0x5410U);
            out.of[unit][pair][1] = __byte_perm(pairs[pair][0], pairs[pair][1], 0x7632U);
        }
    }
}

template <StripSums kSums, class Grid>
__device__ __forceinline__ void filter_rows(
    const TensorSeparableArgs& args, const BandRegisters<kRowPlanes<kSums> * Grid::kHalves>& bands,
    const int (&start)[4], const StripInput<Grid>& in, StripChunk<Grid::kUnits>& out) {
    if constexpr (kSums == StripSums::whole)
        filter_rows_whole(bands, start, in, out);
    else
        filter_rows_rounded(args, bands, start, in, out);
}

// The sums of outputs 4q, 4q + 1 or 4q + 2, 4q + 3 of a unit in rows g and g + 8. `first`: the
// chunk that is the topmost now.
template <int Chunks, int Units>
__device__ __forceinline__ void multiply_columns(const BandRegisters<Chunks>& bands,
                                                 const int (&start)[4],
                                                 const StripChunk<Units> (&ring)[Chunks], int first,
                                                 int unit, int pair, float (&sums)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = __uint_as_float(static_cast<std::uint32_t>(start[i]));
#pragma unroll
    for (int c = 0; c < Chunks; ++c) {
        const std::uint32_t(&rows)[2] = ring[(first + c) % Chunks].of[unit][pair];
        multiply_chunks(sums, bands.of[c][0], bands.of[c][1], rows[0], rows[1]);
    }
}

// The same of whole sums.
template <int Chunks, int Units>
__device__ __forceinline__ void multiply_whole_columns(const BandRegisters<(Chunks + 1) / 2>& bands,
                                                       const int (&start)[4],
                                                       const StripChunk<Units> (&ring)[Chunks],
                                                       int first, int unit, int pair,
                                                       float (&out)[4]) {
    constexpr int kNone[4] = {};
    int lower[4], upper[4];
#pragma unroll
    for (int c = 0; c < Chunks; c += 2) {
        ByteColumns bytes[2];
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            bytes[k].w[0] = ring[(first + c) % Chunks].of[unit][pair][k];
            bytes[k].w[1] = c + 1 < Chunks ? ring[(first + c + 1) % Chunks].of[unit][pair][k] : 0;
        }
        const ChunkFragment(&band)[2] = bands.of[c / 2];
        if (c == 0) {
            multiply_taps(lower, start, band[0], band[1], bytes[0]);
            multiply_signed(upper, kNone, band[0], band[1], bytes[1]);
        } else {
            multiply_taps(lower, lower, band[0], band[1], bytes[0]);
            multiply_signed(upper, upper, band[0], band[1], bytes[1]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        out[i] =
            __uint_as_float(static_cast<std::uint32_t>(lower[i] + upper[i] * 256)) - kInt8Magic;
}

// A lane's sums of a unit to words: four neighbouring outputs of two rows.
__device__ __forceinline__ void pack_sums(const TensorSeparableArgs& args, float (&sums)[2][4],
                                          std::uint32_t (&words)[2]) {
    if (args.scaled) {
#pragma unroll
        for (float& sum : sums[0]) sum = __fmaf_rn(sum, args.gain, args.bias);
#pragma unroll
        for (float& sum : sums[1]) sum = __fmaf_rn(sum, args.gain, args.bias);
    }
#pragma unroll
    for (int r = 0; r < 2; ++r)
        words[r] =
            pack_saturated(sums[0][2 * r], sums[0][2 * r + 1], sums[1][2 * r], sums[1][2 * r + 1]);
}

// The same of all units.
template <StripSums kSums, int Chunks, int Units>
__device__ __forceinline__ void filter_columns(
    const TensorSeparableArgs& args, const BandRegisters<kColumnBands<kSums, Chunks>>& bands,
    const int (&start)[4], const StripChunk<Units> (&ring)[Chunks], int first,
    std::uint32_t (&words)[2][Units]) {
#pragma unroll
    for (int unit = 0; unit < Units; ++unit) {
        float sums[2][4];
#pragma unroll
        for (int pair = 0; pair < 2; ++pair) {
            if constexpr (kSums == StripSums::whole)
                multiply_whole_columns<Chunks>(bands, start, ring, first, unit, pair, sums[pair]);
            else
                multiply_columns<Chunks>(bands, start, ring, first, unit, pair, sums[pair]);
        }
        std::uint32_t of[2];
        pack_sums(args, sums, of);
        words[0][unit] = of[0];
        words[1][unit] = of[1];
    }
}

}  // namespace weft
