// One image row as a warp holds it: column reuse by shuffles of packed words.
//
// A row of samples is cut into blocks of V consecutive ones; lane t of a warp loads block t of its
// tile (its own words) and the lanes at both ends load one block beyond the tile (halo words). Each
// sample is loaded once; every block that a lane needs from its neighbours comes by one shuffle per
// word, before the conversion to fp32, so that a shuffle moves four u8 samples.
//
// Eight lanes instead of 32, blocks A..H of the tile, two halo blocks per side:
//
//     lane          0    1    2    3    4    5    6    7
//     own           A    B    C    D    E    F    G    H
//     halo          I    J    -    -    -    -    Y    Z     I J follow H, Y Z precede A
//
//     block +1: each lane reads lane t+1 mod 8; the source gives its halo if its lane < 1
//     source gives  I    B    C    D    E    F    G    H
//     received      B    C    D    E    F    G    H    I
//
//     block -2: each lane reads lane t-2 mod 8; the source gives its halo if its lane >= 8-2
//     source gives  A    B    C    D    E    F    Y    Z
//     received      Y    Z    A    B    C    D    E    F
//
// All 32 lanes take part in every shuffle, also those beyond the image's right edge; they are
// masked at the store. A lane never owes both a left and a right halo block: at most 16 per side.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "kernels/common/samples.cuh"
#include "kernels/common/vector.h"

namespace weft {

template <int N>
__device__ __forceinline__ Words<N> load_vector(const void* from) {
#ifndef __CUDACC__  // the tests run this file on the CPU, which would not mind
    if (reinterpret_cast<std::uintptr_t>(from) % alignof(Words<N>) != 0)
        throw std::logic_error("a vector load is misaligned");
#endif
    return *static_cast<const Words<N>*>(from);
}

template <int N>
struct RowWords {
    Words<N> own;
    Words<N> halo;
};

// Arguments shared by all warps of a launch.
struct FeedArgs {
    const ConvImages& images;
    int left_px;  // halo pixels that outputs need on each side
    int right_px;
    int left_blocks;  // the same in blocks, rounded up; 0..16
    int right_blocks;
    bool src_aligned;  // every row starts at a multiple of the vector load's size
};

// P: U8, U16 or F32; C: interleaved channels; V: block size in samples, a multiple of C and of
// kPerWord.
template <class P, int C, int V>
class RowFeed {
 public:
    static constexpr int kWords = V / P::kPerWord;
    using Row = RowWords<kWords>;
    static_assert(V % C == 0 && V % P::kPerWord == 0, "a block holds whole pixels and whole words");

    __device__ __forceinline__ RowFeed(const FeedArgs& args, int lane, int tile)
        : images_(args.images), lane_(lane), own_first_((tile * 32 + lane) * V) {
        own_vector_ = vector(args, own_first_);
        own_mapped_ = !own_vector_ && needed(args, own_first_);
        halo_first_ = own_first_;
        if (lane < args.right_blocks) halo_first_ += 32 * V;
        if (lane >= 32 - args.left_blocks) halo_first_ -= 32 * V;
        const bool has_halo = halo_first_ != own_first_;
        halo_vector_ = has_halo && vector(args, halo_first_);
        halo_mapped_ = has_halo && !halo_vector_ && needed(args, halo_first_);
    }

    // Row y of the image; y is the same in all lanes. Rows beyond the image follow the border.
    __device__ __forceinline__ Row load(int y) const {
        Row row{};
        const bool inside = y >= 0 && y < images_.y.length;
        const int source = inside ? y : source_index(images_.y, y);
        if (source < 0) {
#pragma unroll
            for (int j = 0; j < kWords; ++j) row.own.v[j] = row.halo.v[j] = images_.border_word;
            return row;
        }
        const auto offset = static_cast<long long>(source) * images_.src_pitch;
        if (own_vector_) row.own = load_vector(own_first_, offset);
        if (halo_vector_) row.halo = load_vector(halo_first_, offset);
        if (own_mapped_ || halo_mapped_) load_mapped(images_.src + offset, row);
        return row;
    }

    // Word j of the block `m` blocks to the right of the lane's own; |m| <= 16. All lanes call it.
    __device__ __forceinline__ std::uint32_t word(const Row& row, int m, int j) const {
        const bool beyond_tile = m > 0 ? lane_ < m : lane_ >= 32 + m;
        const std::uint32_t given = beyond_tile ? row.halo.v[j] : row.own.v[j];
        return __shfl_sync(0xFFFFFFFFU, given, (lane_ + m) & 31);
    }

    __device__ __forceinline__ int own_first() const {
        return own_first_;
    }

 private:
    using Sample = typename P::Sample;
    using Block = Words<kWords>;

    static __device__ __forceinline__ bool vector(const FeedArgs& args, int first) {
        return args.src_aligned && first >= 0 && first + V <= args.images.x.length * C;
    }

    static __device__ __forceinline__ bool needed(const FeedArgs& args, int first) {
        return first + V > -args.left_px * C && first < (args.images.x.length + args.right_px) * C;
    }

    __device__ __forceinline__ Block load_vector(int first, long long offset) const {
        const std::byte* const lane_start = images_.src + first * static_cast<int>(sizeof(Sample));
        return weft::load_vector<kWords>(lane_start + offset);
    }

    // Serves the few lanes at the image's left and right edge, and all of an unaligned image. Both
    // blocks share one copy of the code: it rarely runs, and the other lanes benefit from short
    // code.
    __device__ __forceinline__ void load_mapped(const std::byte* base, Row& row) const {
        const auto* const samples = reinterpret_cast<const Sample*>(base);
#pragma unroll 1
        for (int which = 0; which < 2; ++which) {
            if (!(which == 0 ? own_mapped_ : halo_mapped_)) continue;
            const Block block = mapped_block(samples, (which == 0 ? own_first_ : halo_first_) / C);
#pragma unroll
            for (int j = 0; j < kWords; ++j) {
                if (which == 0) row.own.v[j] = block.v[j];
                if (which == 1) row.halo.v[j] = block.v[j];
            }
        }
    }

    __device__ __forceinline__ Block mapped_block(const Sample* samples, int first_px) const {
        constexpr int kBits = 32 / P::kPerWord;
        constexpr std::uint32_t kMask = 0xFFFFFFFFU >> (32 - kBits);
        Block block{};
#pragma unroll
        for (int s = 0; s < V; ++s) {
            const int px = source_index(images_.x, first_px + s / C);
            const std::uint32_t bits = P::bits(samples[max(px, 0) * C + s % C]);
            block.v[s / P::kPerWord] |= (px < 0 ? images_.border_word & kMask : bits)
                                        << (s % P::kPerWord * kBits);
        }
        return block;
    }

    const ConvImages& images_;
    int lane_;
    int own_first_;  // samples; each block comes by a vector load, sample by sample, or not
    int halo_first_;
    bool own_vector_, own_mapped_, halo_vector_, halo_mapped_;
};

// Writes the V combined sums of one lane, samples first .. first + V - 1 of row y, as
// saturate(round_half_even(fma(sum, scale, bias))); those beyond the row are dropped.
template <class P, int C, int V>
__device__ __forceinline__ void store_block(const ConvImages& images, bool dst_aligned, int y,
                                            int first, const float (&sums)[V]) {
    constexpr int kWords = V / P::kPerWord;
    const int samples = images.x.length * C;
    if (y >= images.y.length || first >= samples) return;
    float v[V];
#pragma unroll
    for (int s = 0; s < V; ++s) v[s] = __fmaf_rn(sums[s], images.scale[s % C], images.bias[s % C]);
    auto* const row = reinterpret_cast<typename P::Sample*>(images.dst + static_cast<long long>(y) *
                                                                             images.dst_pitch);
    if (dst_aligned && first + V <= samples) {
        Words<kWords> words{};
#pragma unroll
        for (int j = 0; j < kWords; ++j)
            words.v[j] = P::pack(v + j * P::kPerWord, images.max_value);
        *reinterpret_cast<Words<kWords>*>(row + first) = words;
        return;
    }
#pragma unroll
    for (int s = 0; s < V; ++s)
        if (first + s < samples) row[first + s] = P::finish(v[s], images.max_value);
}

}  // namespace weft
