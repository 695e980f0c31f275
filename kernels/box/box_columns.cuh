// The columns of box_sum: each thread's part of every row, borders included.
//
// A thread's word is in the image as it is, or its samples come from two words of a row, picked by
// one byte permutation and blended with the constant border, so the threads at the image's left and
// right end have as many loads in flight as all others. The rest, ends of unaligned rows and the
// seam of a wrapped border, is loaded sample by sample.
#pragma once

#include "kernels/box/box_sum.h"
#include "kernels/common/row_feed.cuh"

namespace weft {

// P: U8 or U16. C: interleaved channels. Halves: column sums as pairs of 16 bits, else 32.
template <class P, int C, bool Halves>
struct Box {
    using Pixel = P;
    static constexpr int kChannels = C;
    static constexpr bool kHalves = Halves;
    static constexpr int kUnit = C == 3 ? 12 : 16;  // samples per step in a row
    static constexpr int kSumWords = Halves ? P::kPerWord / 2 : P::kPerWord;
    static constexpr std::uint32_t kStart = Halves ? 0x4B000000U : 0;  // 2^23
    static constexpr std::uint32_t kLift = 0x8000U;
    static_assert(!Halves || P::kPerWord == 4, "sums of 16-bit samples need 32 bits");
};

__device__ __forceinline__ int box_thread() {
    return static_cast<int>(threadIdx.y * 32 + threadIdx.x);
}

// A thread's columns of the source: a word of every row.
template <class F>
class BoxColumns {
 public:
    // first: the sample of the first column, a multiple of kPerWord; may be outside the row.
    __device__ __forceinline__ BoxColumns(const BoxArgs& args, int first)
        : images_(args.images),
          vector_(args.src_aligned && first >= 0 &&
                  first + kPerWord <= args.images.x.length * F::kChannels),
          near_(false),
          first_(first) {
        if (!vector_) map(args, first);
    }

    // Rows y .. y + kBoxBatch - 1 of the image and its surroundings; y is the same in all threads.
    // All their loads are in flight at once.
    __device__ __forceinline__ void load(int y, std::uint32_t (&rows)[kBoxBatch]) const {
        int source[kBoxBatch];
        std::uint32_t outside = 0;  // bit r: row r is the constant border
        if (y >= 0 && y + kBoxBatch <= images_.y.length) {
#pragma unroll
            for (int r = 0; r < kBoxBatch; ++r) source[r] = y + r;
        } else {
#pragma unroll
            for (int r = 0; r < kBoxBatch; ++r) {
                const int from = source_index(images_.y, y + r);
                outside |= from < 0 ? 1U << r : 0U;
                source[r] = max(from, 0);
            }
        }
        if (vector_)
            load_whole(source, rows);
        else if (near_)
            load_near(source, rows);
        else
            load_scattered(source, rows);
        if (outside == 0) return;
#pragma unroll
        for (int r = 0; r < kBoxBatch; ++r)
            if (outside >> r & 1) rows[r] = images_.border_word;
    }

 private:
    using Pixel = typename F::Pixel;
    using Sample = typename Pixel::Sample;
    static constexpr int kPerWord = Pixel::kPerWord;
    static constexpr int kBytes = static_cast<int>(sizeof(Sample));
    static constexpr std::uint32_t kSampleMask = 0xFFFFFFFFU >> (32 - 8 * kBytes);

    // Sources of the samples of columns outside the image.
    __device__ __forceinline__ void map(const BoxArgs& args, int first) {
        const int samples = images_.x.length * F::kChannels;
        int least = samples;
        int most = 0;
#pragma unroll
        for (int k = 0; k < kPerWord; ++k) {
            // Lifted by whole pixels so that it is not negative.
            const int lifted = first + k + (images_.x.before + 4) * F::kChannels;
            const int px = source_index(images_.x, lifted / F::kChannels - images_.x.before - 4);
            at_[k] = px < 0 ? -1 : px * F::kChannels + lifted % F::kChannels;
            if (px < 0) continue;
            least = min(least, at_[k]);
            most = max(most, at_[k]);
        }
        // Two words that hold them all; the second repeats the first where the row ends.
        first_ = least < samples ? least & ~(kPerWord - 1) : 0;
        second_ = first_ + 2 * kPerWord <= samples ? first_ + kPerWord : first_;
        near_ = args.src_aligned && first_ + kPerWord <= samples && most < second_ + kPerWord;
#pragma unroll
        for (int k = 0; k < kPerWord; ++k) {
            const auto sample = static_cast<std::uint32_t>(max(at_[k] - first_, 0));
            const std::uint32_t pick = kBytes == 1 ? sample : 0x10U + sample * 0x22U;
            selector_ |= pick << (4 * k * kBytes);
            if (at_[k] >= 0) keep_ |= kSampleMask << (8 * k * kBytes);
        }
    }

    __device__ __forceinline__ const Sample* row_at(int source) const {
        return reinterpret_cast<const Sample*>(images_.src +
                                               static_cast<long long>(source) * images_.src_pitch);
    }

    __device__ __forceinline__ void load_whole(const int (&source)[kBoxBatch],
                                               std::uint32_t (&rows)[kBoxBatch]) const {
#pragma unroll
        for (int r = 0; r < kBoxBatch; ++r)
            rows[r] = *reinterpret_cast<const std::uint32_t*>(row_at(source[r]) + first_);
    }

    __device__ __forceinline__ void load_near(const int (&source)[kBoxBatch],
                                              std::uint32_t (&rows)[kBoxBatch]) const {
        std::uint32_t second[kBoxBatch];
        const std::uint32_t fill = images_.border_word & ~keep_;
#pragma unroll
        for (int r = 0; r < kBoxBatch; ++r) {
            rows[r] = *reinterpret_cast<const std::uint32_t*>(row_at(source[r]) + first_);
            second[r] = *reinterpret_cast<const std::uint32_t*>(row_at(source[r]) + second_);
        }
#pragma unroll
        for (int r = 0; r < kBoxBatch; ++r)
            rows[r] = (__byte_perm(rows[r], second[r], selector_) & keep_) | fill;
    }

    // The ends of unaligned rows, and of a wrapped border.
    __device__ __forceinline__ void load_scattered(const int (&source)[kBoxBatch],
                                                   std::uint32_t (&rows)[kBoxBatch]) const {
        const std::uint32_t fill = images_.border_word & ~keep_;
#pragma unroll
        for (int r = 0; r < kBoxBatch; ++r) {
            rows[r] = 0;
#pragma unroll
            for (int k = 0; k < kPerWord; ++k)
                rows[r] |= Pixel::bits(row_at(source[r])[max(at_[k], 0)]) << (8 * k * kBytes);
            rows[r] = (rows[r] & keep_) | fill;
        }
    }

    const ConvImages& images_;
    bool vector_;  // the word is in the image
    bool near_;    // its samples come from two words of the image
    int first_;
    int second_ = 0;
    std::uint32_t selector_ = 0;  // byte permutation of the two words
    std::uint32_t keep_ = 0;      // bits that are not the constant border's
    int at_[kPerWord] = {};
};

}  // namespace weft
