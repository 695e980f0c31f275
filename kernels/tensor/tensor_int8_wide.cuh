// tensor_int8 for taps beyond 9×9: bands in shared memory, before the tiles.
//
// A window for eight outputs is kHalves times 8 bytes, and four tap rows of it fill kHalves
// multiplications, also where a row ends in half a chunk: the second of two rows then begins with
// its half chunk. That half is in lanes 0 and 1 of a quad's words at the window's start, the first
// row's in lanes 2 and 3 of its words 8 bytes before its end, so a select joins them. Windows of 16
// outputs would need a third more multiplications for 11×11 and 15×15 taps.
//
// The lower plane's sums start at zero and are converted at the end: from 257 taps of one sign on,
// 255 · Σ|lower| exceeds the 2^22 that the low bits of a float hold.
#pragma once

#include "kernels/tensor/tensor_int8.cuh"
#include "kernels/tensor/tensor_int8_channels.cuh"

namespace weft {

template <int kHalves>
struct Int8Window {
    static constexpr bool kJoined = kHalves % 2 == 1;
    static constexpr int kChunks = kHalves / 2;  // whole ones per row
    static constexpr int kStep = kJoined ? 8 : 16;
    // One at each multiple of kStep: whole chunks begin there in one tap row or the next.
    static constexpr int kFragments = kJoined ? 2 * kChunks : kChunks;
};

// This lane's B fragments of a multiplication.
template <int kPlanes>
struct alignas(8 * kPlanes) Int8WideBand {
    std::uint32_t of[kPlanes][2];
};

// A row's words at a place of a window: of both halves of the row, which are a chunk.
struct Int8SampleRow {
    using Words = ChunkFragment;
    static constexpr int kChunks = kInt8Rows;  // in a warp's rows
    static __device__ __forceinline__ Words load(const std::uint8_t* from) {
        return chunk_at(from);
    }
    template <class WordsOf>
    static __device__ __forceinline__ ChunkFragment chunk(int k, const WordsOf& words_of) {
        return words_of(k);
    }
};

// A word of a channel instead, where two rows are a chunk.
struct Int8ChannelRow {
    using Words = std::uint32_t;
    static constexpr int kChunks = kInt8Pairs;
    static __device__ __forceinline__ Words load(const std::uint8_t* from) { return word_at(from); }
    template <class WordsOf>
    static __device__ __forceinline__ ChunkFragment chunk(int k, const WordsOf& words_of) {
        return {words_of(2 * k), words_of(2 * k + 1)};
    }
};

// The sums of a warp's rows, of their even windows, of their odd ones or of a channel.
template <class Row, int kHalves, Int8Sums kSums>
class Int8WideSums {
 public:
    static constexpr int kPlanes = kInt8Planes<kSums>;
    using Window = Int8Window<kHalves>;
    using Band = Int8WideBand<kPlanes>;

    __device__ __forceinline__ Int8WideSums(const std::uint8_t* window, int pitch)
        : window_(window), pitch_(pitch) {
#pragma unroll
        for (int row = 0; row < kInt8Rows - 1; ++row) load_row(row);
    }

    // All tap rows: a group, then two per round, so that rows need no moves from slot to slot.
    __device__ __forceinline__ void add(const Band* bands, int groups, const Int8Starts& starts) {
        bands += threadIdx.x;
        add_group<0, true>(bands, starts);
        int group = 1;
#pragma unroll 1
        for (; group + 2 <= groups; group += 2) {
            add_group<kInt8GroupRows, false>(bands + 32 * kHalves, starts);
            add_group<0, false>(bands + 64 * kHalves, starts);
            bands += 64 * kHalves;
        }
        if (group < groups) add_group<kInt8GroupRows, false>(bands + 32 * kHalves, starts);
    }

    int of[Row::kChunks][kPlanes][4];

 private:
    using Words = typename Row::Words;
    static constexpr int kSlots = 2 * kInt8GroupRows;  // a power of two, and enough for a group

    __device__ __forceinline__ void load_row(int slot) {
#pragma unroll
        for (int k = 0; k < Window::kFragments; ++k)
            rows_[slot][k] = Row::load(window_ + Window::kStep * k);
        window_ += pitch_;
    }

    __device__ __forceinline__ const Words (&row_at(int slot) const)[Window::kFragments] {
        return rows_[slot % kSlots];
    }

    // A row's words of chunk `id` of a group of tap rows, the first of which is on the row in slot
    // `first`: whole chunks row by row, then those that two rows share.
    __device__ __forceinline__ Words words(int first, int id) const {
        constexpr int kChunks = Window::kChunks;
        const int row = id / kChunks;
        const int k = id % kChunks;
        if constexpr (!Window::kJoined) return row_at(first + row)[k];
        if (id < kInt8GroupRows * kChunks) return row_at(first + row)[2 * k + row % 2];
        const int pair = first + 2 * (id - kInt8GroupRows * kChunks);
        const Words& start = row_at(pair + 1)[0];
        const Words& end = row_at(pair)[Window::kFragments - 1];
        return (threadIdx.x & 2U) == 0 ? start : end;
    }

    template <int kFirst, bool kStart>
    __device__ __forceinline__ void add_group(const Band* bands, const Int8Starts& starts) {
#pragma unroll
        for (int row = 0; row < kInt8GroupRows; ++row)
            load_row((kFirst + kInt8Rows - 1 + row) % kSlots);
#pragma unroll
        for (int k = 0; k < kHalves; ++k) {
            const int zeros[4] = {};
            const Band band = bands[32 * k];
#pragma unroll
            for (int chunk = 0; chunk < Row::kChunks; ++chunk) {
                const auto at = [&](int id) {
                    return Row::chunk(chunk, [&](int row) { return words(kFirst + row, id); });
                };
#pragma unroll
                for (int plane = 0; plane < kPlanes; ++plane) {
                    int(&sum)[4] = of[chunk][plane];
                    const int(&before)[4] = sum;
                    const bool lower = kSums == Int8Sums::fraction && plane == 1;
                    const int(&start)[4] = lower ? zeros : starts.of;
                    multiply_bytes(sum, kStart && k == 0 ? start : before, at(2 * k), at(2 * k + 1),
                                   band.of[plane][0], band.of[plane][1]);
                }
            }
        }
    }

    const std::uint8_t* window_;
    int pitch_;
    Words rows_[kSlots][Window::kFragments];
};

template <int kHalves, Int8Sums kSums>
__device__ __forceinline__ void compute_wide(const Int8Args& args, const Int8Place& place,
                                             const Int8Starts& starts) {
    using Sums = Int8WideSums<Int8SampleRow, kHalves, kSums>;
    const auto* const bands = reinterpret_cast<const typename Sums::Band*>(tensor_tile);
    Int8Stores stores(place);
    std::uint32_t before[kInt8Rows] = {};
#pragma unroll 1
    for (int odd = 0; odd < 2; ++odd) {
        Sums sums(place.window + 8 * odd, int8_pitch(args));
        sums.add(bands, args.tap_groups, starts);
#pragma unroll
        for (int row = 0; row < kInt8Rows; ++row) {
            float v[4];
            finish_int8<kSums, true>(args, sums.of[row], v);
            const std::uint32_t packed = pack_saturated(v[0], v[1], v[2], v[3]);
            if (odd != 0) stores.store(row, before[row], packed);
            before[row] = packed;
        }
    }
    stores.store_ends();
}

template <int kHalves, Int8Sums kSums, int kChannels>
__device__ __forceinline__ void compute_wide_channels(const Int8Args& args, const Words<4>* tile,
                                                      int step, const Int8Starts& starts) {
    using Sums = Int8WideSums<Int8ChannelRow, kHalves, kSums>;
    const auto* const bands = reinterpret_cast<const typename Sums::Band*>(tensor_tile);
    const std::uint8_t* window = channel_window(args, tile, step);
    Int8ChannelWords<kChannels> out = {};
#pragma unroll 1
    for (int c = 0; c < kChannels; ++c, window += kInt8RowPixels<kHalves>) {
        Sums sums(window, int8_pitch(args));
        sums.add(bands, args.tap_groups, starts);
#pragma unroll
        for (int pair = 0; pair < kInt8Pairs; ++pair) {
            float v[4];
            finish_int8<kSums, true>(args, sums.of[pair], v);
            // In registers at fixed places: each channel moves the ones before it.
#pragma unroll
            for (int k = 1; k < kChannels; ++k) out[k - 1][pair] = out[k][pair];
            out[kChannels - 1][pair] = pack_saturated(v[0], v[1], v[2], v[3]);
        }
    }
    store_channels<kChannels>(args, out, step);
}

// Blocks per multiprocessor, which bound the registers of the variants.
constexpr int int8_wide_blocks(int halves) {
    return halves > 6 ? 3 : 4;
}

template <int kHalves, Int8Sums kSums, int kChannels>
__global__ void __launch_bounds__(kInt8Threads, int8_wide_blocks(kHalves))
    tensor_int8_wide(const __grid_constant__ Int8Args args) {
    constexpr int kBandBytes = sizeof(Int8WideBand<kInt8Planes<kSums>>);
    const int vectors = args.tap_groups * 32 * kHalves * kBandBytes / 16;
    Words<4>* const tile = tensor_tile + vectors;
    const Int8Starts starts;
    for_each_int8_step<kChannels, kInt8RowPixels<kHalves>>(
        args, tile,
        [&] {
            const auto* const from = reinterpret_cast<const Words<4>*>(args.bands);
            for (int k = int8_thread(); k < vectors; k += kInt8Threads)
                copy_vector(tensor_tile + k, from + k);
        },
        [&](int step) {
            if constexpr (kChannels > 1)
                compute_wide_channels<kHalves, kSums, kChannels>(args, tile, step, starts);
            else
                compute_wide<kHalves, kSums>(args, int8_place(args, tile, step), starts);
        });
}

}  // namespace weft
