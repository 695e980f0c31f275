// Fills the shared memory of a block of sparse_direct.cuh with samples.
//
// Tiles inside the image look up no border and have several loads in flight per thread:
//
//     8 bits, rows at multiples of 4    four samples as a part of two words, eight in the tile
//     other                             a sample at a time
//
// Tiles at the border look up each row and column, a sample at a time.
#pragma once

#include "kernels/common/samples.cuh"
#include "kernels/common/vector.h"
#include "kernels/sparse/sparse_direct.h"

namespace weft {

extern __shared__ std::uint32_t sparse_samples[];

// A block's place: position of its first output in a row of samples or pixels, its row and, where a
// block takes one, its channel.
struct SparseTile {
    int first, y, channel;
};

template <class P>
struct SparseWord {
    static constexpr int kSamples = 1;
    static __device__ __forceinline__ float sample(std::uint32_t word, int) {
        return __uint_as_float(word);
    }
};

template <>
struct SparseWord<U8> {
    static constexpr int kSamples = 2;
    static __device__ __forceinline__ float sample(std::uint32_t word, int k) {
        return __uint_as_float(k == 0 ? word << 16 : word & 0xFFFF0000U);
    }
    static __device__ __forceinline__ std::uint32_t pair(float a, float b) {
        return __byte_perm(__float_as_uint(a), __float_as_uint(b), 0x7632U);
    }
};

// Indices in a row of the samples at positions k, k + 1 and k + 2; -1: border.
template <class P>
__device__ __forceinline__ void find_columns(const SparseImageArgs& args, const SparseTile& tile,
                                             int position, int (&at)[3]) {
#pragma unroll
    for (int k = 0; k < 2 * SparseWord<P>::kSamples - 1; ++k) {
        const int px = source_index(args.images.x, (position + k) / args.together - args.left);
        const int channel = args.together == 1 ? tile.channel : (position + k) % args.together;
        at[k] = px < 0 ? -1 : px * args.channels + channel;
    }
}

// One row's part of a word of the tile, and of its copy; `row` is null for a constant border.
template <class P>
__device__ __forceinline__ void fill_word(const SparseImageArgs& args,
                                          const typename P::Sample* row, const int (&at)[3],
                                          std::uint32_t* word) {
    const auto value = [&](int s) {
        return row == nullptr || s < 0 ? border_value<P>(args.images)
                                       : P::to_float(P::bits(row[s]), 0);
    };
    if constexpr (SparseWord<P>::kSamples == 1) {
        *word = __float_as_uint(value(at[0]));
    } else {
        const float middle = value(at[1]);
        word[0] = SparseWord<P>::pair(value(at[0]), middle);
        word[args.words] = SparseWord<P>::pair(middle, value(at[2]));
    }
}

template <class P>
__device__ __forceinline__ const typename P::Sample* image_row(const ConvImages& images, int y) {
    return reinterpret_cast<const typename P::Sample*>(images.src + static_cast<long long>(y) *
                                                                        images.src_pitch);
}

template <class P>
__device__ __forceinline__ void fill_at_border(const SparseImageArgs& args,
                                               const SparseTile& tile) {
    for (auto word = static_cast<int>(threadIdx.x); word < args.words; word += 32) {
        int at[3] = {};
        find_columns<P>(args, tile, tile.first + word * SparseWord<P>::kSamples, at);
#pragma unroll 4
        for (auto r = static_cast<int>(threadIdx.y); r < args.tile_rows; r += kSparseImageWarps) {
            const int y = source_index(args.images.y, tile.y + r - args.top);
            fill_word<P>(args, y < 0 ? nullptr : image_row<P>(args.images, y), at,
                         sparse_samples + r * args.pitch + word);
        }
    }
}

// Walks over the items of a tile row by row, as thread of the block `step` further each time.
struct TileWalk {
    int row, item;
    __device__ __forceinline__ void advance(int items, int step_rows, int step_items) {
        row += step_rows;
        item += step_items;
        if (item >= items) {
            item -= items;
            ++row;
        }
    }
};

// `Batch` loads of a thread at once. Load: (row, item) to Raw; store: (Raw, row, item).
template <class Raw, int Batch, class Load, class Store>
__device__ __forceinline__ void fill_in_batches(int rows, int items, const Load& load,
                                                const Store& store) {
    constexpr int kThreads = 32 * kSparseImageWarps;
    const auto thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const int step_rows = kThreads / items;
    const int step_items = kThreads % items;
    TileWalk loads{thread / items, thread % items};
    TileWalk stores = loads;
    while (stores.row < rows) {
        Raw raw[Batch];
#pragma unroll
        for (int b = 0; b < Batch; ++b) {
            if (loads.row < rows) raw[b] = load(loads.row, loads.item);
            loads.advance(items, step_rows, step_items);
        }
#pragma unroll
        for (int b = 0; b < Batch; ++b) {
            if (stores.row < rows) store(raw[b], stores.row, stores.item);
            stores.advance(items, step_rows, step_items);
        }
    }
}

// Inside the image, a sample at a time.
template <class P>
__device__ __forceinline__ void fill_inside(const SparseImageArgs& args, const SparseTile& tile) {
    constexpr int kSamples = SparseWord<P>::kSamples;
    const int step = args.channels / args.together;  // from position to position
    const int first = tile.first * step - args.left * args.channels + tile.channel;
    const auto* const from = image_row<P>(args.images, tile.y - args.top) + first;
    struct Raw {
        typename P::Sample s[2 * kSamples - 1];
    };
    fill_in_batches<Raw, 8 / kSamples>(
        args.tile_rows, args.words,
        [&](int row, int word) {
            const auto* const samples = reinterpret_cast<const typename P::Sample*>(
                reinterpret_cast<const std::byte*>(from) +
                static_cast<long long>(row) * args.images.src_pitch);
            Raw raw;
#pragma unroll
            for (int k = 0; k < 2 * kSamples - 1; ++k)
                raw.s[k] = samples[(word * kSamples + k) * step];
            return raw;
        },
        [&](const Raw& raw, int row, int word) {
            std::uint32_t* const to = sparse_samples + row * args.pitch + word;
            const auto value = [&](int k) { return P::to_float(P::bits(raw.s[k]), 0); };
            if constexpr (kSamples == 1) {
                to[0] = __float_as_uint(value(0));
            } else {
                to[0] = SparseWord<P>::pair(value(0), value(1));
                to[args.words] = SparseWord<P>::pair(value(1), value(2));
            }
        });
}

// The same for 8 bits and rows at multiples of 4.
__device__ __forceinline__ void fill_inside_by_words(const SparseImageArgs& args,
                                                     const SparseTile& tile) {
    const int first = tile.first - args.left * args.channels;
    const int shift = first % 4 * 8;
    const std::byte* const from =
        args.images.src + static_cast<long long>(tile.y - args.top) * args.images.src_pitch +
        (first - first % 4);
    fill_in_batches<Words<2>, 5>(
        args.tile_rows, args.words / 2,
        [&](int row, int item) {
            const auto* const words = reinterpret_cast<const std::uint32_t*>(
                from + static_cast<long long>(row) * args.images.src_pitch + 4 * item);
            return Words<2>{{words[0], words[1]}};
        },
        [&](const Words<2>& raw, int row, int item) {
            const std::uint32_t four = __funnelshift_r(raw.v[0], raw.v[1], shift);
            const float a = U8::to_float(four, 0);
            const float b = U8::to_float(four, 1);
            const float c = U8::to_float(four, 2);
            const float d = U8::to_float(four, 3);
            const float e = U8::to_float(raw.v[1] >> shift, 0);
            using Word = SparseWord<U8>;
            std::uint32_t* const to = sparse_samples + row * args.pitch + 2 * item;
            *reinterpret_cast<Words<2>*>(to) = {{Word::pair(a, b), Word::pair(c, d)}};
            *reinterpret_cast<Words<2>*>(to + args.words) = {{Word::pair(b, c), Word::pair(d, e)}};
        });
}

// All threads of the block call it; a barrier must follow.
template <class P>
__device__ __forceinline__ void fill_sparse_tile(const SparseImageArgs& args,
                                                 const SparseTile& tile) {
    const ConvImages& images = args.images;
    const int first_px = tile.first / args.together - args.left;
    // A word's copy begins a sample later, and two words are read for four samples.
    const int beyond = tile.first + args.words * SparseWord<P>::kSamples + 8;
    const bool inside = first_px >= 0 && beyond / args.together - args.left < images.x.length &&
                        tile.y >= args.top && tile.y - args.top + args.tile_rows <= images.y.length;
    if (!inside) {
        fill_at_border<P>(args, tile);
        return;
    }
    if constexpr (SparseWord<P>::kSamples == 2) {
        if (args.src_words && args.together == args.channels) {
            fill_inside_by_words(args, tile);
            return;
        }
    }
    fill_inside<P>(args, tile);
}

}  // namespace weft
