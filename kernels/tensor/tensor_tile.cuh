// Fills a block's tile in shared memory: samples from the image, and those of U8 and U16 to halves
// less the middle of their range, 128 or TensorTile's. Samples that no output needs are zeros.
//
// Samples are copied asynchronously, in vectors of 16 bytes. At the image's left and right end the
// missing ones are then made from those present, by the border table; rows beyond the top or bottom
// are another row, or the constant, from the start. Last, segments of as many samples as a vector
// has are converted. A segment starts `left` samples before such a multiple, so the bytes of two
// vectors are shifted into place by four funnel shifts: which words they start at is the template's
// argument, the bits within a word an argument at run time.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/samples.cuh"
#include "kernels/common/vector.h"
#include "kernels/tensor/tensor_dense.h"

namespace weft {

// The 32 bytes that hold a segment.
struct SegmentWindow {
    std::uint32_t w[8];
};

// The tile in half precision, TensorTile's rows of chunks; then the samples of the next, in rows of
// segments + 1 vectors.
extern __shared__ Words<4> tensor_tile[];

struct TensorOrigin {
    int sample;  // the block's first output
    int y;
};

__device__ __forceinline__ TensorOrigin tensor_origin(const TensorArgs& args, int tile) {
    const int y = tile / args.tiles_x;
    return {(tile - y * args.tiles_x) * kTensorBlockSamples, y * args.block_rows};
}

__device__ __forceinline__ int tensor_thread() {
    return static_cast<int>(threadIdx.y * 32 + threadIdx.x) & (kMaxTensorThreads - 1);
}

// The source of row y of the image's surroundings; negative: the constant border.
__device__ __forceinline__ int source_row(const ConvImages& images, int y) {
    return static_cast<unsigned>(y) < static_cast<unsigned>(images.y.length)
               ? y
               : source_index(images.y, y);
}

template <class P>
constexpr int kSamplesPerVector = 4 * P::kPerWord;

// A chunk has eight samples.
template <class P>
constexpr int kChunksPerSegment = kSamplesPerVector<P> / 8;

template <class P, int kWord>
__device__ __forceinline__ void store_segment(const TensorTile& tile, const SegmentWindow& window,
                                              Words<4>* to) {
    Words<4> chunks[kChunksPerSegment<P>];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const std::uint32_t word =
            __funnelshift_r(window.w[kWord + k], window.w[kWord + k + 1], tile.shift_bits);
        if constexpr (P::kPerWord == 4) {
            chunks[k / 2].v[k % 2 * 2] = centred_halves(word, 0);
            chunks[k / 2].v[k % 2 * 2 + 1] = centred_halves(word, 1);
        } else {
            chunks[0].v[k] = centred_halves_of_words(word, tile.middle_of_words);
        }
    }
#pragma unroll
    for (int c = 0; c < kChunksPerSegment<P>; ++c) to[c] = chunks[c];
}

// The place of a block's tile in the image.
template <class P>
struct TilePlace {
    __device__ __forceinline__ TilePlace(const TensorArgs& args, const TensorOrigin& origin)
        : first(origin.sample - args.tile.left),
          aligned(first & -kSamplesPerVector<P>),
          y(origin.y - args.images.y.before) {
        const int samples = args.images.x.length << args.tile.channel_shift;
        const int filled = kSamplesPerVector<P> * args.tile.segments;
        at_end = first < 0 || first + filled > samples;
        inside = args.tile.src_aligned && aligned >= 0 &&
                 aligned + filled + kSamplesPerVector<P> <= samples && y >= 0 &&
                 y + args.tile.rows <= args.images.y.length;
    }
    int first;    // sample of the tile's first column
    int aligned;  // sample of its first vector
    int y;        // row of its first row
    bool at_end;  // columns are left or right of the image
    bool inside;  // all vectors can be copied unchanged
};

// 16 bytes of a row that is not aligned, those of the image.
template <class P>
__device__ __forceinline__ Words<4> gathered_vector(const typename P::Sample* row, int from,
                                                    int samples) {
    constexpr int kBits = 32 / P::kPerWord;
    Words<4> out{};
#pragma unroll
    for (int s = 0; s < kSamplesPerVector<P>; ++s)
        if (from + s < samples)
            out.v[s / P::kPerWord] |= P::bits(row[from + s]) << (kBits * (s % P::kPerWord));
    return out;
}

// The vectors of a tile inside the image: each thread copies those of one column.
template <class P>
__device__ __forceinline__ void fetch_inside(const TensorArgs& args, const TilePlace<P>& place,
                                             int thread, Words<4>* raw) {
    const TensorTile& t = args.tile;
    const int vectors = t.segments + 1;
    const int first_row = thread * t.vector_reciprocal >> kReciprocalBits;
    if (first_row >= t.vector_step) return;
    const std::byte* from = args.images.src +
                            static_cast<long long>(place.y + first_row) * args.images.src_pitch +
                            place.aligned * static_cast<int>(sizeof(typename P::Sample)) +
                            16 * (thread - first_row * vectors);
    Words<4>* to = raw + thread;
#pragma unroll 2
    for (int row = first_row; row < t.rows; row += t.vector_step) {
        copy_vector(to, from);
        to += t.vector_step * vectors;
        from += static_cast<long long>(t.vector_step) * args.images.src_pitch;
    }
}

// The vectors of any tile.
template <class P>
__device__ __forceinline__ void fetch_mapped(const TensorArgs& args, const TilePlace<P>& place,
                                             int thread, Words<4>* raw) {
    using Sample = typename P::Sample;
    const TensorTile& t = args.tile;
    const int vectors = t.segments + 1;
    const int samples = args.images.x.length << t.channel_shift;
#pragma unroll 1
    for (int item = thread; item < t.rows * vectors; item += t.threads) {
        const int row = item * t.vector_reciprocal >> kReciprocalBits;
        const int from = place.aligned + kSamplesPerVector<P> * (item - row * vectors);
        if (from < 0 || from >= samples) {
            raw[item] = {};
            continue;
        }
        const int y = source_row(args.images, place.y + row);
        const auto* const image = reinterpret_cast<const Sample*>(
            args.images.src + static_cast<long long>(y) * args.images.src_pitch);
        const std::uint32_t w = args.images.border_word;
        if (y < 0)
            raw[item] = {{w, w, w, w}};
        else if (t.src_aligned)
            copy_part(raw + item, image + from,
                      min((samples - from) * static_cast<int>(sizeof(Sample)), 16));
        else
            raw[item] = gathered_vector<P>(image, from, samples);
    }
}

// Starts copying the tile at `place`. All threads of the block call it.
template <class P>
__device__ __forceinline__ void fetch_tile(const TensorArgs& args, const TilePlace<P>& place,
                                           int thread, Words<4>* raw) {
    if (place.inside)
        fetch_inside(args, place, thread, raw);
    else
        fetch_mapped(args, place, thread, raw);
}

// The sample at `sample` of a row of the tile, `filled` in shared memory, by the border table; from
// the image where the tile does not reach: a wrapped border, or an image narrower than the taps.
template <class P>
__device__ __forceinline__ typename P::Sample border_sample(const TensorArgs& args,
                                                            const TilePlace<P>& place, int row,
                                                            int sample,
                                                            const typename P::Sample* filled) {
    using Sample = typename P::Sample;
    const Sample constant = P::sample(args.images.border_word);
    const int shift = args.tile.channel_shift;
    const int px = source_index(args.images.x, sample >> shift);
    if (px < 0) return constant;
    const int from = (px << shift) + (sample & ((1 << shift) - 1));
    const int offset = from - place.aligned;
    if (offset >= 0 && offset < kSamplesPerVector<P> * (args.tile.segments + 1))
        return filled[offset];
    const int y = source_row(args.images, place.y + row);
    if (y < 0) return constant;
    return reinterpret_cast<const Sample*>(args.images.src +
                                           static_cast<long long>(y) * args.images.src_pitch)[from];
}

// The columns of the tile that are outside the image, as far as outputs need them: a lane for a
// column, a warp for a row. All threads of the block; a barrier must follow.
template <class P>
__device__ __forceinline__ void make_ends(const TensorArgs& args, const TilePlace<P>& place,
                                          int thread, Words<4>* raw) {
    const TensorTile& t = args.tile;
    const int samples = args.images.x.length << t.channel_shift;
    const int left = max(-place.first, 0);
    const int end = min(place.first + kSamplesPerVector<P> * t.segments,
                        samples + (args.images.x.after << t.channel_shift));
    const int columns = left + max(end - samples, 0);
    for (int k = thread % 32; k < columns; k += 32) {
        const int sample = k < left ? place.first + k : samples + k - left;
#pragma unroll 2
        for (int row = thread / 32; row < t.rows; row += t.threads / 32) {
            auto* const filled =
                reinterpret_cast<typename P::Sample*>(raw + row * (t.segments + 1));
            filled[sample - place.aligned] = border_sample<P>(args, place, row, sample, filled);
        }
    }
}

// Each thread converts the segments of one column, `row_step` rows apart.
template <class P, int kWord>
__device__ __forceinline__ void convert_columns(const TensorTile& t, int thread,
                                                const Words<4>* raw, Words<4>* tile) {
    const int first_row = thread * t.segment_reciprocal >> kReciprocalBits;
    const int column = thread - first_row * t.segments;
    if (first_row >= t.row_step) return;
    const Words<4>* from = raw + first_row * (t.segments + 1) + column;
    Words<4>* to = tile + first_row * t.pitch + kChunksPerSegment<P> * column;
#pragma unroll 2
    for (int row = first_row; row < t.rows; row += t.row_step) {
        const Words<4> low = from[0];
        const Words<4> high = from[1];
        store_segment<P, kWord>(
            t,
            {{low.v[0], low.v[1], low.v[2], low.v[3], high.v[0], high.v[1], high.v[2], high.v[3]}},
            to);
        from += t.row_step * (t.segments + 1);
        to += t.row_step * t.pitch;
    }
}

// All threads of the block call it; a barrier must follow.
template <class P>
__device__ __forceinline__ void convert_tile(const TensorTile& t, int thread, const Words<4>* raw,
                                             Words<4>* tile) {
    switch ((-t.left & (kSamplesPerVector<P> - 1)) / P::kPerWord) {
        case 0:
            return convert_columns<P, 0>(t, thread, raw, tile);
        case 1:
            return convert_columns<P, 1>(t, thread, raw, tile);
        case 2:
            return convert_columns<P, 2>(t, thread, raw, tile);
        default:
            return convert_columns<P, 3>(t, thread, raw, tile);
    }
}

// Computes every args.blocks-th tile: while `compute` works on one, the next is in flight. A tile's
// place is computed again each time: registers are worth more than that.
template <class P, class Compute>
__device__ __forceinline__ void for_each_tile(const TensorArgs& args, int thread,
                                              const Compute& compute) {
    Words<4>* const raw = tensor_tile + args.tile.rows * args.tile.pitch;
    const auto place = [&](int tile) { return TilePlace<P>(args, tensor_origin(args, tile)); };
    fetch_tile(args, place(static_cast<int>(blockIdx.x)), thread, raw);
#pragma unroll 1
    for (int tile = static_cast<int>(blockIdx.x); tile < args.tiles; tile += args.blocks) {
        wait_copies();
        __syncthreads();
        if (place(tile).at_end) {
            make_ends(args, place(tile), thread, raw);
            __syncthreads();
        }
        convert_tile<P>(args.tile, thread, raw, tensor_tile);
        __syncthreads();
        if (tile + args.blocks < args.tiles)
            fetch_tile(args, place(tile + args.blocks), thread, raw);
        compute(tensor_origin(args, tile));
    }
}

}  // namespace weft
