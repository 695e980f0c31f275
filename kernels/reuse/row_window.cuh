// A thread's part of a row for the forms of column_row_reuse that keep no rows in shared memory:
// its own samples and those that its taps reach on both sides.
//
// The halo has loads of its own, from the L1 cache, where the neighbouring threads' samples are: no
// load waits for another, as a shuffle would.
#pragma once

#include "kernels/common/row_feed.cuh"

namespace weft {

// The widest vector of whole words, up to four, of which a row of `words` is a multiple.
constexpr int words_per_vector(int words) {
    return words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;
}

// The row of a thread with V samples of C interleaved channels per row, and K taps per side.
template <class P, int C, int K, int V>
struct RowShape {
    using Pixel = P;
    static constexpr int kChannels = C, kSize = K, kBlock = V;
    static constexpr int kRadius = K / 2;
    static constexpr int kHalo = kRadius * C;  // samples per side
    static constexpr int kWindow = V + 2 * kHalo;
    static constexpr int kWindowPixels = kWindow / C;
    static constexpr int kWords = V / P::kPerWord;
    static constexpr int kVector = words_per_vector(kWords);
    // The halo's words per side, as many as one vector or whole ones hold.
    static constexpr int kNeededWords = (kHalo + P::kPerWord - 1) / P::kPerWord;
    static constexpr int kHaloVector = kNeededWords == 1                  ? 1
                                       : kNeededWords == 2 && kVector > 1 ? 2
                                                                          : kVector;
    static constexpr int kHaloWords = (kNeededWords + kHaloVector - 1) / kHaloVector * kHaloVector;
    static constexpr int kReach = kHaloWords * P::kPerWord;  // samples per side
    static_assert(K % 2 == 1 && V % C == 0 && V % P::kPerWord == 0);
};

// N words in vectors of `kVector`, from an address that is a multiple of their size.
template <int kVector, int N>
__device__ __forceinline__ void load_words(const std::byte* from, std::uint32_t (&words)[N]) {
#pragma unroll
    for (int k = 0; k < N; k += kVector) {
        const auto vector = load_vector<kVector>(from + 4 * k);
#pragma unroll
        for (int j = 0; j < kVector; ++j) words[k + j] = vector.v[j];
    }
}

// Rows of a thread whose samples are all in the image, in vectors. kMapped: rows above and below
// the image follow the border.
template <class S, bool kMapped>
class InnerRows {
 public:
    struct Row {
        std::uint32_t left[S::kHaloWords];
        std::uint32_t own[S::kWords];
        std::uint32_t right[S::kHaloWords];
    };

    // `first`: the thread's first sample in a row; `row_sources`: border_tables.
    __device__ __forceinline__ InnerRows(const ConvImages& images, const int* row_sources,
                                         int first)
        : images_(images),
          row_sources_(row_sources),
          own_(images.src + first * static_cast<int>(sizeof(typename S::Pixel::Sample))) {}

    // Starts the loads. y is the same in all threads of a warp.
    __device__ __forceinline__ Row load(int y) const {
        Row row;
        const int source = kMapped ? source_index(images_.y, row_sources_, y) : y;
        if (kMapped && source < 0) {
            fill(row.left);
            fill(row.own);
            fill(row.right);
            return row;
        }
        const std::byte* const own = own_ + static_cast<long long>(source) * images_.src_pitch;
        load_words<S::kHaloVector>(own - 4 * S::kHaloWords, row.left);
        load_words<S::kVector>(own, row.own);
        load_words<S::kHaloVector>(own + 4 * S::kWords, row.right);
        return row;
    }

    // The samples from kHalo before the thread's first to kHalo after its last.
    __device__ __forceinline__ void convert(const Row& row, float (&window)[S::kWindow]) const {
        using P = typename S::Pixel;
#pragma unroll
        for (int k = 0; k < S::kWindow; ++k) {
            const int at = k - S::kHalo;  // relative to the thread's first sample
            const int word = at < 0           ? (at + S::kReach) / P::kPerWord
                             : at < S::kBlock ? at / P::kPerWord
                                              : (at - S::kBlock) / P::kPerWord;
            const int part = (at + S::kReach) % P::kPerWord;
            window[k] = P::to_float(at < 0           ? row.left[word]
                                    : at < S::kBlock ? row.own[word]
                                                     : row.right[word],
                                    part);
        }
    }

 private:
    template <int N>
    __device__ __forceinline__ void fill(std::uint32_t (&words)[N]) const {
#pragma unroll
        for (int k = 0; k < N; ++k) words[k] = images_.border_word;
    }

    const ConvImages& images_;
    const int* row_sources_;
    const std::byte* own_;
};

// Rows of a thread whose samples are beyond the image, or that is not aligned: one by one.
template <class S>
class EndRows {
 public:
    // The sources of columns and rows beyond the image: border_tables.
    __device__ __forceinline__ EndRows(const ConvImages& images, const int* column_sources,
                                       const int* row_sources, int first)
        : images_(images), row_sources_(row_sources) {
#pragma unroll
        for (int k = 0; k < S::kWindowPixels; ++k)
            columns_[k] =
                source_index(images.x, column_sources, first / S::kChannels - S::kRadius + k);
    }

    __device__ __forceinline__ void window(int y, float (&out)[S::kWindow]) const {
        using P = typename S::Pixel;
        const int source = source_index(images_.y, row_sources_, y);
        const auto* const row = reinterpret_cast<const typename P::Sample*>(
            images_.src + static_cast<long long>(max(source, 0)) * images_.src_pitch);
#pragma unroll
        for (int k = 0; k < S::kWindow; ++k) {
            const int px = columns_[k / S::kChannels];
            out[k] = border_value<P>(images_);
            if ((source | px) >= 0) out[k] = P::value(row[px * S::kChannels + k % S::kChannels]);
        }
    }

 private:
    const ConvImages& images_;
    const int* row_sources_;
    int columns_[S::kWindowPixels];  // sources of the window's pixels, -1: the constant border
};

}  // namespace weft
