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
// the image's left and right end, where missing bytes are made from others.
//
// Arithmetic: row factors are 15-bit whole numbers in two planes of signed bytes, whose sums are
// exact; the row pass's result, less 128, and the column factors are rounded to half precision,
// sums are fp32: a sum errs by at most 128 Σ|row| Σ|column| 3.25 · 2^-11.
// Source: banded Toeplitz blocks (HardBoiled, CGO 2026); the accumulator as operand of the next
// product as in FlashAttention-2; the combination is ours.
// Launch: kStripWarps warps per block, side by side, each with a strip of its own.
// Cost per 16×16 outputs: 4 halves mma.m16n8k32 of bytes for each 16 image rows, 2 chunks
// mma.m16n8k16; a strip computes chunks - 1 rows of 16 more than it writes.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/samples.cuh"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_separable.h"
#include "kernels/tensor/tensor_store.cuh"

namespace weft {

// 16 rows of the image around a warp's outputs, in parts of 32 bytes that start 16 bytes apart:
// lane 4 g + q has bytes 8q to 8q + 7 of rows g and g + 8.
template <int Parts>
struct StripInput {
    ByteColumns of[Parts][2];
};

template <int Parts>
constexpr int kStripWindow = 16 * Parts + 16;  // bytes of a row

// A warp whose window reaches beyond the image makes the missing bytes here. Rows are an odd number
// of 8 bytes, so that lanes in eight rows meet few banks twice.
template <int Parts>
struct alignas(16) StripEnds {
    static constexpr int kPitch = kStripWindow<Parts> + 8;
    std::uint8_t rows[kStripRows][kPitch];
    int sources[kStripWindow<Parts>];  // of the missing columns: see StripFeed::find_ends()
};

extern __shared__ ByteColumns strip_ends[];

// Loads a warp's input.
template <int Parts>
class StripFeed {
 public:
    __device__ __forceinline__ StripFeed(const TensorSeparableArgs& args, int lane, int sample,
                                         int warp)
        : args_(args),
          lane_(lane),
          first_(sample - args.left),
          own_(global_in_register(reinterpret_cast<const std::uint8_t*>(args.images.src) + first_ +
                                  8 * (lane & 3))),
          ends_(reinterpret_cast<StripEnds<Parts>*>(strip_ends)[warp]) {
        const int samples = args.images.x.length * args.channels - first_;
        begin_ = max(-first_, 0);
        end_ = args.src_aligned ? min(samples & ~7, kStripWindow<Parts>) : begin_;
    }

    // Whether bytes are missing that outputs need. The same in all lanes.
    __device__ __forceinline__ bool at_end() const {
        return begin_ > 0 || end_ < kStripWindow<Parts>;
    }

    // Starts to load rows y to y + 15 of the image's surroundings. Bytes that are not in the image
    // are any others until make_ends().
    __device__ __forceinline__ void load(int y, bool at_end, StripInput<Parts>& in) const {
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
        const int own = 8 * (lane_ & 3);
        if (!at_end) {
            load_parts(rows, in, [&](int part) { return 16 * part; });
        } else if (end_ >= begin_ + 8) {
            load_parts(rows, in,
                       [&](int part) { return max(min(own + 16 * part, end_ - 8), begin_) - own; });
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
            const int sample = first_ + column + x.before * args_.channels;
            const int pixel = sample / args_.channels;
            const int source = source_index(x, pixel - x.before);
            ends_.sources[k] =
                source < 0 ? kConstant : (source - pixel) * args_.channels + sample - first_;
        }
    }

    // Makes the missing bytes of rows y to y + 15 from those that are there, or one by one.
    __device__ __forceinline__ void make_ends(int y, StripInput<Parts>& in) const {
        const auto place = [&](int part) { return 8 * (lane_ & 3) + 16 * part; };
        const auto loaded = [&](int part) {
            return place(part) >= begin_ && place(part) + 8 <= end_;
        };
        const auto own = [&](int part, int r) -> ByteColumns& {
            return *reinterpret_cast<ByteColumns*>(ends_.rows[(lane_ >> 2) + 8 * r] + place(part));
        };
        __syncwarp();
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                if (loaded(part)) own(part, r) = in.of[part][r];
        __syncwarp();
        make_columns(y);
        __syncwarp();
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                if (!loaded(part)) in.of[part][r] = own(part, r);
    }

 private:
    __device__ __forceinline__ const std::uint8_t* row_of(int source) const {
        return reinterpret_cast<const std::uint8_t*>(args_.images.src) +
               static_cast<long long>(source) * args_.images.src_pitch + first_;
    }

    template <class Place>
    static __device__ __forceinline__ void load_parts(const std::uint8_t* const (&rows)[2],
                                                      StripInput<Parts>& in, const Place& place) {
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                in.of[part][r] = *reinterpret_cast<const ByteColumns*>(rows[r] + place(part));
    }

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
        const int needed = args_.left - x.before * args_.channels;
        const int needed_end =
            min((x.length + x.after) * args_.channels - first_, kStripWindow<Parts>);
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
        constexpr int kPitch = StripEnds<Parts>::kPitch;
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

    __device__ __forceinline__ void fill(int r, StripInput<Parts>& in) const {
#pragma unroll
        for (int part = 0; part < Parts; ++part)
            in.of[part][r] = {{args_.images.border_word, args_.images.border_word}};
    }

    const TensorSeparableArgs& args_;
    int lane_;
    int first_;                // sample of the window's first byte
    const std::uint8_t* own_;  // the lane's first byte, in row 0
    StripEnds<Parts>& ends_;
    int begin_, end_;  // bytes of the window that come by whole loads
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

// Results of the row pass for 16 image rows: B fragments of the column pass, for outputs 4q, 4q + 1
// and for 4q + 2, 4q + 3 of each lane's tile.
template <int Tiles>
struct StripChunk {
    std::uint32_t of[Tiles][2][2];
};

template <int Halves, int Tiles>
__device__ __forceinline__ void filter_rows(const TensorSeparableArgs& args,
                                            const BandRegisters<2 * Halves>& bands,
                                            const int (&start)[4],
                                            const StripInput<Tiles + 2 * Halves - 2>& in,
                                            StripChunk<Tiles>& out) {
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            int sums[2][4];
#pragma unroll
            for (int half = 0; half < Halves; ++half) {
#pragma unroll
                for (int plane = 0; plane < 2; ++plane) {
                    const ChunkFragment(&band)[2] = bands.of[2 * half + plane];
                    const ByteColumns& bytes = in.of[tile + 2 * half][r];
                    if (half == 0)
                        multiply_taps(sums[plane], start, band[0], band[1], bytes);
                    else
                        multiply_taps(sums[plane], sums[plane], band[0], band[1], bytes);
                }
            }
            float v[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float upper = __uint_as_float(static_cast<std::uint32_t>(sums[0][i]));
                const float lower = __uint_as_float(static_cast<std::uint32_t>(sums[1][i]));
                v[i] = __fmaf_rn(upper, args.upper_step,
                                 __fmaf_rn(lower, args.lower_step, args.offset));
            }
            const ChunkFragment halves = rounded_chunk(v);
            out.of[tile][0][r] = halves.low;
            out.of[tile][1][r] = halves.high;
        }
    }
}

// Four neighbouring outputs of two rows in each tile, as words; `first`: the chunk that is the
// topmost now.
template <int Chunks, int Tiles>
__device__ __forceinline__ void filter_columns(const TensorSeparableArgs& args,
                                               const BandRegisters<Chunks>& bands,
                                               const float (&start)[4],
                                               const StripChunk<Tiles> (&ring)[Chunks], int first,
                                               std::uint32_t (&words)[2][Tiles]) {
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
        float sums[2][4];
#pragma unroll
        for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
            for (int c = 0; c < Chunks; ++c) {
                const std::uint32_t(&rows)[2] = ring[(first + c) % Chunks].of[tile][pair];
                if (c == 0)
                    multiply_chunks(sums[pair], start, bands.of[c][0], bands.of[c][1], rows[0],
                                    rows[1]);
                else
                    multiply_chunks(sums[pair], bands.of[c][0], bands.of[c][1], rows[0], rows[1]);
            }
        }
        if (args.scaled) {
#pragma unroll
            for (float& sum : sums[0]) sum = __fmaf_rn(sum, args.gain, args.bias);
#pragma unroll
            for (float& sum : sums[1]) sum = __fmaf_rn(sum, args.gain, args.bias);
        }
#pragma unroll
        for (int r = 0; r < 2; ++r)
            words[r][tile] = pack_saturated(sums[0][2 * r], sums[0][2 * r + 1], sums[1][2 * r],
                                            sums[1][2 * r + 1]);
    }
}

// Up to 16 samples of row y, and from the source the channels that are left alone.
__device__ __forceinline__ void store_samples_of_strip(const TensorSeparableArgs& args, int y,
                                                       int sample,
                                                       const std::uint32_t (&words)[4]) {
    if (y >= args.images.y.length) return;
    auto* const to = reinterpret_cast<std::uint8_t*>(args.images.dst) +
                     static_cast<long long>(y) * args.images.dst_pitch + sample;
    const auto* const from = reinterpret_cast<const std::uint8_t*>(args.images.src) +
                             static_cast<long long>(y) * args.images.src_pitch + sample;
    const int samples = min(args.images.x.length * args.channels - sample, 16);
    if (samples == 16 && args.dst_aligned && args.src_aligned) {
        SegmentWords out = *reinterpret_cast<const SegmentWords*>(from);
#pragma unroll
        for (int k = 0; k < 4; ++k) out.w[k] = (words[k] & ~args.kept) | (out.w[k] & args.kept);
        *reinterpret_cast<SegmentWords*>(to) = out;
        return;
    }
#pragma unroll 1
    for (int s = 0; s < samples; ++s) {
        const std::uint32_t low = s < 4 ? words[0] : words[1];
        const std::uint32_t high = s < 12 ? words[2] : words[3];
        const int bit = 8 * (s & 3);
        const bool kept = (args.kept >> bit & 1) != 0;
        to[s] = kept ? from[s] : static_cast<std::uint8_t>((s < 8 ? low : high) >> bit);
    }
}

// The words of 16 rows of the warp's outputs. Four words of a quad's lanes are exchanged, so that
// each lane stores 16 samples in a row. `plain`: whole vectors, in all rows of the step.
template <int Tiles>
__device__ __forceinline__ void store_strip(const TensorSeparableArgs& args, bool plain, int lane,
                                            int y, int sample,
                                            const std::uint32_t (&words)[2][Tiles]) {
#pragma unroll
    for (int group = 0; group < Tiles / 2; ++group) {
        std::uint32_t four[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            four[k] = words[(4 * group + k) / Tiles][(4 * group + k) % Tiles];
        transpose_quad(four, lane);
        const int own = 4 * group + (lane & 3);
        const int row = y + (lane >> 2) + 8 * (own / Tiles);
        const int first = sample + 16 * (own % Tiles);
        if (plain)
            *reinterpret_cast<SegmentWords*>(args.images.dst +
                                             static_cast<long long>(row) * args.images.dst_pitch +
                                             first) = {{four[0], four[1], four[2], four[3]}};
        else
            store_samples_of_strip(args, row, first, four);
    }
}

// A value that stays in a register: the compiler would read a constant again in every step, and
// copy it to each accumulator.
__device__ __forceinline__ int kept_in_register(int value) {
    return __shfl_sync(0xFFFFFFFFU, value, 0);
}

// Start values of whole accumulators.
struct StripStarts {
    __device__ __forceinline__ explicit StripStarts(float column_start) {
        const auto bits = static_cast<int>(__float_as_uint(column_start));
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            rows[i] = kept_in_register(kInt8Start);
            columns[i] = __uint_as_float(static_cast<std::uint32_t>(kept_in_register(bits)));
        }
    }
    int rows[4];
    float columns[4];
};

template <int Halves, int Chunks, int Tiles>
__device__ __forceinline__ void filter_strip(const TensorSeparableArgs& args, int warp, int lane) {
    constexpr int kParts = Tiles + 2 * Halves - 2;
    // So many steps are written out, each with its own names for the chunks; where that would
    // exceed the instruction cache, chunks are moved.
    constexpr int kRound = Chunks < 4 ? Chunks : 1;
    const int strip = warp / args.tiles_x;
    const int sample = (warp - strip * args.tiles_x) * 16 * Tiles;
    const int y = strip * args.steps * kStripRows;
    const int top = y - args.images.y.before;
    const int steps = min(args.steps, (args.images.y.length - y + kStripRows - 1) / kStripRows);
    const bool whole = args.dst_aligned && args.kept == 0 &&
                       sample + 16 * Tiles <= args.images.x.length * args.channels;
    const BandRegisters<2 * Halves> row_bands(args.rows, lane);
    const BandRegisters<Chunks> column_bands(args.columns, lane);
    const StripStarts start(args.start);
    const StripFeed<kParts> feed(args, lane, sample, static_cast<int>(threadIdx.y));
    StripInput<kParts> in{};
    StripChunk<Tiles> ring[Chunks];
    const bool at_end = feed.at_end();
    if (at_end) feed.find_ends();
    feed.load(top, at_end, in);
    const auto next_chunk = [&](int chunk, bool more, StripChunk<Tiles>& out) {
        const int first = top + chunk * kStripRows;
        if (at_end) feed.make_ends(first, in);
        filter_rows<Halves>(args, row_bands, start.rows, in, out);
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
            std::uint32_t words[2][Tiles];
            filter_columns<Chunks, Tiles>(args, column_bands, start.columns, ring, c, words);
            const int row = y + step * kStripRows;
            store_strip<Tiles>(args, whole && row + kStripRows <= args.images.y.length, lane, row,
                               sample, words);
        }
        if (kRound == 1)
#pragma unroll
            for (int c = 0; c + 1 < Chunks; ++c) ring[c] = ring[c + 1];
    }
}

template <int Halves, int Chunks, int Tiles, int Blocks>
__global__ void __launch_bounds__(kStripThreads, Blocks)
    tensor_separable(const __grid_constant__ TensorSeparableArgs args) {
    const int warp = static_cast<int>(blockIdx.x * kStripWarps + threadIdx.y);
    if (warp < args.tiles_x * args.strips)
        filter_strip<Halves, Chunks, Tiles>(
            args, warp, __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x), threadIdx.x));
}

}  // namespace weft
