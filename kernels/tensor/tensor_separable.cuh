// The kernel tensor_separable: a row pass and a column pass on tensor cores in one launch, in
// registers alone.
//
// Idea: 16 outputs of a row are a banded matrix of the row factors times a window of bytes, as they
// are in memory: 32 bytes of eight image rows are one load of eight bytes per lane, and that is
// matrix B. The accumulator has outputs as rows and image rows as columns; rounded to half
// precision, it is matrix B of the column pass, in the same registers:
//
//     row factors (A, bytes)   bytes (B)           column factors (A, halves)   rounded sums (B)
//     16 outputs × 32 bytes  ·  32 × 8 image rows ->  16 output rows × 16       ·  16 × 8 outputs
//
// The rows of the first band are permuted, so that a lane's four results of a row are neighbours.
// A warp goes down a strip, 16 rows at a time, and keeps the row pass's results of the last chunks
// of 16 image rows. No barrier, no conversion of pixels, and no shared memory but in the warps at
// the image's left and right end, where missing bytes are made from others. Large taps of one
// channel are in tensor_separable_shared.cuh.
//
// Interleaved pixels are separated in registers after loading and joined before storing, by eight
// permutations of bytes per 16. Alpha that is left alone is not multiplied; it is read again and
// stored.
// Small RGB windows are taken as gray ones, their taps three bytes apart.
//
// Arithmetic, rounded: row factors are 15-bit whole numbers in two planes of signed bytes, whose
// sums are exact; the row pass's result, less 128, and the column factors are rounded to half
// precision, sums are fp32: a sum errs by at most 128 Σ|row| Σ|column| 3.25 · 2^-11.
// Whole: factors are bytes, and the row pass's result is two bytes, each of which the column pass
// multiplies by factors of bytes. Two permutations of bytes instead of four roundings make matrix B
// of the accumulators, and nothing is rounded before the end.
// Source: banded Toeplitz blocks (HardBoiled, CGO 2026); the accumulator as operand of the next
// product as in FlashAttention-2; the combination is ours.
// Launch: kStripWarps warps per block, side by side, each with a strip of its own.
// Cost per 16×16 outputs of a channel: 4 halves mma.m16n8k32 of bytes for each 16 image rows, 2
// chunks mma.m16n8k16; whole 2 halves and 2 chunks mma.m16n8k32 of bytes. A strip computes chunks -
// 1 rows of 16 more than it writes.
#pragma once

#include <cstdint>

#include "kernels/common/early_launch.cuh"
#include "kernels/tensor/interleaved_bytes.cuh"
#include "kernels/tensor/tensor_separable.h"
#include "kernels/tensor/tensor_separable_passes.cuh"
#include "kernels/tensor/tensor_store.cuh"

namespace weft {

// A warp whose window reaches beyond the image makes the missing bytes here. Rows are an odd number
// of 8 bytes, so that lanes in eight rows meet few banks twice.
template <class Grid>
struct alignas(16) StripEnds {
    static constexpr int kPitch = Grid::kWindow + 8;
    std::uint8_t rows[kStripRows][kPitch];
    int sources[Grid::kWindow];  // for the missing columns: see StripFeed::find_ends()
};

extern __shared__ ByteColumns strip_ends[];

// Loads a warp's input.
template <class Grid>
class StripFeed {
 public:
    __device__ __forceinline__ StripFeed(const TensorSeparableArgs& args, int lane, int sample,
                                         int warp)
        : args_(args),
          lane_(lane),
          first_(sample - args.left),
          own_(global_in_register(reinterpret_cast<const std::uint8_t*>(args.images.src) + first_ +
                                  8 * kChannels * (lane & 3))),
          ends_(reinterpret_cast<StripEnds<Grid>*>(strip_ends)[warp]) {
        const int samples = args.images.x.length * kChannels - first_;
        begin_ = max(-first_, 0);
        end_ = args.src_aligned ? min(samples & ~7, Grid::kWindow) : begin_;
    }

    // Whether bytes are missing that outputs need. The same in all lanes.
    __device__ __forceinline__ bool at_end() const { return begin_ > 0 || end_ < Grid::kWindow; }

    // Starts to load rows y to y + 15 of the image's surroundings. Bytes that are not in the image
    // are any others until make_ends().
    __device__ __forceinline__ void load(int y, bool at_end, StripInput<Grid>& in) const {
        const int row = y + (lane_ >> 2);
        int sources[2] = {row, row + 8};
        const bool inside = y >= 0 && y + kStripRows <= args_.images.y.length;
        if (!inside) {
            sources[0] = source_index(args_.images.y, sources[0]);
            sources[1] = source_index(args_.images.y, sources[1]);
        }
        const std::uint8_t* rows[2];
#pragma unroll
        for (int r = 0; r < 2; ++r)
            rows[r] = own_ + static_cast<long long>(inside ? sources[r] : max(sources[r], 0)) *
                                 args_.images.src_pitch;
        if (!at_end) {
            load_whole(rows, in);
        } else if (end_ >= begin_ + 8) {
            load_near(rows, in);
        }
        if (inside) return;
#pragma unroll
        for (int r = 0; r < 2; ++r)
            if (sources[r] < 0) fill(r, in);
    }

    // Where the missing columns take their bytes from: once, before make_ends().
    __device__ __forceinline__ void find_ends() const {
        const AxisMap& x = args_.images.x;
        const Ends ends = missing();
        for (int k = lane_; k < ends.left + ends.right; k += 32) {
            const int column = ends.column(k);
            const int sample = first_ + column + x.before * kChannels;
            const int pixel = sample / kChannels;
            const int source = source_index(x, pixel - x.before);
            ends_.sources[k] =
                source < 0 ? kConstant : (source - pixel) * kChannels + sample - first_;
        }
    }

    // Makes the missing bytes of rows y to y + 15 from those that are there, or one by one.
    __device__ __forceinline__ void make_ends(int y, StripInput<Grid>& in) const {
        const auto loaded = [&](int part, int k) {
            return place(part, k) >= begin_ && place(part, k) + 8 <= end_;
        };
        const auto own = [&](int part, int r, int k) -> ByteColumns& {
            return *reinterpret_cast<ByteColumns*>(ends_.rows[(lane_ >> 2) + 8 * r] +
                                                   place(part, k));
        };
        __syncwarp();
        for_each_eight([&](int part, int r, int k) {
            if (loaded(part, k)) own(part, r, k) = in.of[part][r][k];
        });
        __syncwarp();
        make_columns(y);
        __syncwarp();
        for_each_eight([&](int part, int r, int k) {
            if (!loaded(part, k)) in.of[part][r][k] = own(part, r, k);
        });
    }

 private:
    __device__ __forceinline__ const std::uint8_t* row_of(int source) const {
        return reinterpret_cast<const std::uint8_t*>(args_.images.src) +
               static_cast<long long>(source) * args_.images.src_pitch + first_;
    }

    // Byte of the window where the lane's eight bytes `k` of a part are.
    __device__ __forceinline__ int place(int part, int k) const {
        return kChannels * (8 * (lane_ & 3) + Grid::kPartStep * part) + 8 * k;
    }

    template <class Do>
    static __device__ __forceinline__ void for_each_eight(const Do& act) {
#pragma unroll
        for (int part = 0; part < Grid::kParts; ++part)
#pragma unroll
            for (int r = 0; r < 2; ++r)
#pragma unroll
                for (int k = 0; k < kChannels; ++k) act(part, r, k);
    }

    // Rows begin at the lane's first byte.
    static __device__ __forceinline__ void load_whole(const std::uint8_t* const (&rows)[2],
                                                      StripInput<Grid>& in) {
        // Rows of two and four channels are read by 16 bytes.
        constexpr int kEights = kChannels % 2 == 0 ? 2 : 1;
        struct alignas(8 * kEights) Vector {
            ByteColumns of[kEights];
        };
        for_each_eight([&](int part, int r, int k) {
            if (k % kEights != 0) return;
            const auto bytes = *reinterpret_cast<const Vector*>(
                rows[r] + kChannels * Grid::kPartStep * part + 8 * k);
#pragma unroll
            for (int i = 0; i < kEights; ++i) in.of[part][r][k + i] = bytes.of[i];
        });
    }

    // Bytes that are missing are others that are not.
    __device__ __forceinline__ void load_near(const std::uint8_t* const (&rows)[2],
                                              StripInput<Grid>& in) const {
        for_each_eight([&](int part, int r, int k) {
            const int near = max(min(place(part, k), end_ - 8), begin_);
            in.of[part][r][k] = *reinterpret_cast<const ByteColumns*>(rows[r] + near - place(0, 0));
        });
    }

    static constexpr int kChannels = Grid::kChannels;
    static constexpr int kConstant = -1 << 30;

    // Columns of the window that outputs need and that no whole load brings.
    struct Ends {
        __device__ __forceinline__ int column(int k) const {
            return k < left ? left_begin + k : right_begin + k - left;
        }
        int left_begin, left, right_begin, right;
    };

    __device__ __forceinline__ Ends missing() const {
        const AxisMap& x = args_.images.x;
        const int needed = args_.left - x.before * kChannels;
        const int needed_end = min((x.length + x.after) * kChannels - first_, Grid::kWindow);
        const int right_begin = max(end_, needed);
        return {needed, max(min(begin_, needed_end) - needed, 0), right_begin,
                max(needed_end - right_begin, 0)};
    }

    // Eight columns at a time or fewer: each lane has four rows of one; otherwise more rows.
    __device__ __forceinline__ void make_columns(int y) const {
        const Ends ends = missing();
        const int count = ends.left + ends.right;
        const int width_log2 = count <= 8 ? 3 : count <= 16 ? 4 : 5;
        const int rows = kStripRows >> (5 - width_log2);
        const int top = (lane_ >> width_log2) * rows;
#pragma unroll 1
        for (int k = lane_ & ((1 << width_log2) - 1); k < count; k += 1 << width_log2) {
            const int column = ends.column(k);
            const int from = ends_.sources[k];
            const bool here = from >= begin_ && from < end_;
#pragma unroll 1
            for (int row = top; row < top + rows; row += 4) make_four(y, row, column, from, here);
        }
    }

    __device__ __forceinline__ void make_four(int y, int row, int column, int from,
                                              bool here) const {
        std::uint8_t* const to = ends_.rows[row] + column;
        constexpr int kPitch = StripEnds<Grid>::kPitch;
        std::uint8_t bytes[4];
        if (here) {
#pragma unroll
            for (int r = 0; r < 4; ++r) bytes[r] = to[r * kPitch + from - column];
        } else {
#pragma unroll
            for (int r = 0; r < 4; ++r) bytes[r] = byte_of(y + row + r, from);
        }
#pragma unroll
        for (int r = 0; r < 4; ++r) to[r * kPitch] = bytes[r];
    }

    __device__ __forceinline__ std::uint8_t byte_of(int y, int from) const {
        const int row = source_index(args_.images.y, y);
        return from == kConstant || row < 0 ? static_cast<std::uint8_t>(args_.images.border_word)
                                            : row_of(row)[from];
    }

    __device__ __forceinline__ void fill(int r, StripInput<Grid>& in) const {
        for_each_eight([&](int part, int row, int k) {
            if (row == r)
                in.of[part][r][k] = {{args_.images.border_word, args_.images.border_word}};
        });
    }

    const TensorSeparableArgs& args_;
    int lane_;
    int first_;                // sample of the window's first byte
    const std::uint8_t* own_;  // the lane's first byte, in row 0
    StripEnds<Grid>& ends_;
    int begin_, end_;  // bytes of the window that come by whole loads
};

// Up to 16 samples of row y.
__device__ __forceinline__ void store_samples_of_strip(const TensorSeparableArgs& args, int y,
                                                       int sample,
                                                       const std::uint32_t (&words)[4]) {
    if (y >= args.images.y.length) return;
    auto* const to = reinterpret_cast<std::uint8_t*>(args.images.dst) +
                     static_cast<long long>(y) * args.images.dst_pitch + sample;
    const int samples = min(args.images.x.length - sample, 16);
    if (samples == 16 && args.dst_aligned) {
        *reinterpret_cast<Words<4>*>(to) = {{words[0], words[1], words[2], words[3]}};
        return;
    }
#pragma unroll 1
    for (int s = 0; s < samples; ++s) {
        const std::uint32_t low = s < 4 ? words[0] : words[1];
        const std::uint32_t high = s < 12 ? words[2] : words[3];
        to[s] = static_cast<std::uint8_t>((s < 8 ? low : high) >> (8 * (s & 3)));
    }
}

// The words of a warp's outputs, gray, of eight rows each. Four words of a quad's lanes are
// exchanged, so that each lane stores 16 samples in a row. `plain`: whole vectors, in all rows.
template <int Eights, int Units>
__device__ __forceinline__ void store_strip(const TensorSeparableArgs& args, bool plain, int lane,
                                            int y, int sample,
                                            const std::uint32_t (&words)[Eights][Units]) {
#pragma unroll
    for (int group = 0; group < Eights * Units / 4; ++group) {
        std::uint32_t four[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            four[k] = words[(4 * group + k) / Units][(4 * group + k) % Units];
        transpose_quad(four, lane);
        const int own = 4 * group + (lane & 3);
        const int row = y + (lane >> 2) + 8 * (own / Units);
        const int first = sample + 16 * (own % Units);
        if (plain)
            *reinterpret_cast<Words<4>*>(args.images.dst +
                                         static_cast<long long>(row) * args.images.dst_pitch +
                                         first) = {{four[0], four[1], four[2], four[3]}};
        else
            store_samples_of_strip(args, row, first, four);
    }
}

// Up to four pixels of row y, and from the source the channels that are left alone.
template <int C>
__device__ __forceinline__ void store_pixels(const TensorSeparableArgs& args, int y, int sample,
                                             Words<C> words) {
    if (y >= args.images.y.length) return;
    auto* const to = reinterpret_cast<std::uint8_t*>(args.images.dst) +
                     static_cast<long long>(y) * args.images.dst_pitch + sample;
    const auto* const from = reinterpret_cast<const std::uint8_t*>(args.images.src) +
                             static_cast<long long>(y) * args.images.src_pitch + sample;
    const int samples = min(args.images.x.length * C - sample, 4 * C);
    if (samples == 4 * C && args.dst_aligned && (args.kept == 0 || args.src_aligned)) {
        if (args.kept != 0) {
            const auto source = *reinterpret_cast<const Words<C>*>(from);
#pragma unroll
            for (int k = 0; k < C; ++k)
                words.v[k] = (words.v[k] & ~args.kept) | (source.v[k] & args.kept);
        }
        *reinterpret_cast<Words<C>*>(to) = words;
        return;
    }
#pragma unroll
    for (int s = 0; s < 4 * C; ++s) {
        const bool kept = (args.kept >> (8 * (s & 3)) & 1) != 0;
        if (s < samples)
            to[s] = kept ? from[s] : static_cast<std::uint8_t>(words.v[s / 4] >> (8 * (s & 3)));
    }
}

// The words of 16 rows of the warp's outputs, interleaved: each lane has four pixels of a row.
template <class Grid>
__device__ __forceinline__ void store_strip_pixels(const TensorSeparableArgs& args, int lane, int y,
                                                   int sample,
                                                   const std::uint32_t (&words)[2][Grid::kUnits]) {
    constexpr int C = Grid::kChannels;
#pragma unroll
    for (int tile = 0; tile < Grid::kTiles; ++tile) {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            Words<C> pixels{};
#pragma unroll
            for (int f = 0; f < Grid::kFiltered; ++f)
                pixels.v[f] = words[r][tile * Grid::kFiltered + f];
            interleave_channels<C>(pixels.v);
            store_pixels<C>(args, y + (lane >> 2) + 8 * r,
                            sample + C * (16 * tile + 4 * (lane & 3)), pixels);
        }
    }
}

template <StripSums kSums, class Grid, int Chunks>
__device__ __forceinline__ void filter_strip(const TensorSeparableArgs& args, int warp, int lane) {
    constexpr int kUnits = Grid::kUnits;
    constexpr int kWidth = 16 * Grid::kTiles * Grid::kChannels;  // samples of a row
    // So many steps are written out, each with its own names for the chunks; where that would
    // exceed the instruction cache, chunks are moved.
    constexpr int kRound = Chunks < 4 ? Chunks : 1;
    const int strip = warp / args.tiles_x;
    const int sample = (warp - strip * args.tiles_x) * kWidth;
    const int y = strip * args.steps * kStripRows;
    const int top = y - args.images.y.before;
    const int steps = min(args.steps, (args.images.y.length - y + kStripRows - 1) / kStripRows);
    const bool whole = args.dst_aligned && sample + kWidth <= args.images.x.length;
    const BandRegisters<kRowPlanes<kSums> * Grid::kHalves> row_bands(args.rows, lane);
    const BandRegisters<kColumnBands<kSums, Chunks>> column_bands(args.columns, lane);
    const StripStarts start(args);
    const StripFeed<Grid> feed(args, lane, sample, static_cast<int>(threadIdx.y));
    StripInput<Grid> in{};
    StripChunk<kUnits> ring[Chunks];
    const bool at_end = feed.at_end();
    if (at_end) feed.find_ends();
    wait_for_predecessors();
    let_successor_start();
    feed.load(top, at_end, in);
    const auto next_chunk = [&](int chunk, bool more, StripChunk<kUnits>& out) {
        const int first = top + chunk * kStripRows;
        if (at_end) feed.make_ends(first, in);
        separate_channels(in);
        filter_rows<kSums>(args, row_bands, start.rows, in, out);
        if (more) feed.load(first + kStripRows, at_end, in);
    };
#pragma unroll
    for (int c = 0; c + 1 < Chunks; ++c) next_chunk(c, true, ring[c]);
#pragma unroll 1
    for (int round = 0; round < steps; round += kRound) {
#pragma unroll
        for (int c = 0; c < kRound; ++c) {
            const int step = round + c;
            if (step >= steps) return;
            next_chunk(step + Chunks - 1, step + 1 < steps, ring[(c + Chunks - 1) % Chunks]);
            std::uint32_t words[2][kUnits];
            filter_columns<kSums, Chunks>(args, column_bands, start.columns, ring, c, words);
            const int row = y + step * kStripRows;
            if constexpr (Grid::kChannels == 1)
                store_strip(args, whole && row + kStripRows <= args.images.y.length, lane, row,
                            sample, words);
            else
                store_strip_pixels<Grid>(args, lane, row, sample, words);
        }
        if (kRound == 1)
#pragma unroll
            for (int c = 0; c + 1 < Chunks; ++c) ring[c] = ring[c + 1];
    }
}

// Channels: interleaved ones; the first Filtered of them are filtered, and the others left alone.
template <StripSums kSums, int Channels, int Filtered, int Halves, int Chunks, int Tiles,
          int Blocks>
__global__ void __launch_bounds__(kStripThreads, Blocks)
    tensor_separable(const __grid_constant__ TensorSeparableArgs args) {
    const int warp = static_cast<int>(blockIdx.x * kStripWarps + threadIdx.y);
    if (warp < args.tiles_x * args.strips)
        filter_strip<kSums, StripGrid<Channels, Filtered, Halves, Tiles>, Chunks>(
            args, warp, __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x), threadIdx.x));
}

}  // namespace weft
