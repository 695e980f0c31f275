// The input rows of a block's strip on their way through shared memory: a ring of chunks, in which
// each warp fills a few rows by asynchronous copies.
//
// A row in the ring is the tile's samples with a halo of H vectors per side; a vector is four
// samples and comes by one copy. The tile's own copies start at a multiple of 128 bytes: with the
// halo in them, each would touch one memory sector more.
//
//     vector     0 .. H-1    H .. H+31    H+32 .. 2H+31
//     of lane    0 .. H-1    0 .. 31      H .. 2H-1
//
// Samples beyond the image's ends come one by one: from the border's source, or as its constant. So
// do all samples of an image that is not aligned.
#pragma once

#include "kernels/common/async_copy.cuh"
#include "kernels/common/samples.cuh"
#include "kernels/common/vector.h"
#include "kernels/reuse/column_row_reuse.h"

namespace weft {

extern __shared__ Floats<4> ring_rows[];

// S is a Ring of reuse_ring.cuh.
template <class S>
class RowRing {
 public:
    // `vectors` points to S::kVectors of them in shared memory.
    __device__ __forceinline__ RowRing(const RingArgs& args, int lane, int warp, int tile,
                                       Floats<4>* vectors)
        : args_(args), lane_(in_register(lane)), first_(tile * S::kTileSamples) {
        const int own = first_ + 4 * lane;
        const int halo_vector = lane < S::kHalo ? lane : lane + 32;
        const int halo = first_ + 4 * (halo_vector - S::kHalo);
        own_to_ = shared_in_register(vectors + S::kHalo + lane);
        halo_to_ = shared_in_register(vectors + halo_vector);
        own_ = global_in_register(args.images.src + 4LL * own);
        halo_ = global_in_register(args.images.src + 4LL * halo);
        flags_ = in_register((inside(own) ? kOwn : 0) |
                             (lane < 2 * S::kHalo && inside(halo) ? kHaloToo : 0) |
                             place_end(warp, vectors + S::kHalo));
    }

    // Starts the copies of rows y .. y + S::kRows - 1 of the image's surroundings
    // into the slot; a slot is its first vector.
    __device__ __forceinline__ void fetch(int y, int slot) const {
        if (y >= 0 && y + S::kRows <= args_.images.y.length)
            fetch_inside(y, slot);
        else
            fetch_mapped(y, slot);
    }

    // The lane's samples of the row at `slot`, and S::kRadius more on each side.
    __device__ __forceinline__ void window(int slot, float (&out)[S::kWindow]) const {
        const Floats<4>* const own = own_to_ + slot;
#pragma unroll
        for (int m = -S::kHalo; m <= S::kHalo; ++m) {
            const Floats<4> vector = own[m];
#pragma unroll
            for (int s = 0; s < 4; ++s) {
                const int at = 4 * m + s + S::kRadius;
                if (at >= 0 && at < S::kWindow) out[at] = vector.v[s];
            }
        }
    }

 private:
    static constexpr int kOwn = 1, kHaloToo = 2, kEnd = 4,
                         kMoreEnds = 8;  // flags of the lane's copies

    // Samples that the vectors leave out: `left` from the first that outputs
    // need, then `right`.
    struct Ends {
        int left;
        int right_first;
        int right;
    };

    __device__ __forceinline__ bool inside(int sample) const {
        return args_.src_aligned && sample >= 0 && sample + 4 <= args_.images.x.length;
    }

    __device__ __forceinline__ Ends ends() const {
        const int length = args_.images.x.length;
        const int needed = first_ - args_.images.x.before;
        const int needed_end = min(first_ + S::kTileSamples, length) + args_.images.x.after;
        if (!args_.src_aligned) return {0, needed, needed_end - needed};
        const int begin = max(first_ - 4 * S::kHalo, 0);
        const int end = min(first_ + S::kTileSamples + 4 * S::kHalo, length & ~3);
        return {max(begin - needed, 0), end, max(needed_end - end, 0)};
    }

    // The k-th sample that the vectors leave out.
    __device__ __forceinline__ int end_sample(const Ends& e, int k) const {
        return k < e.left ? first_ - args_.images.x.before + k : e.right_first + k - e.left;
    }

    __device__ __forceinline__ int source_column(int sample) const {
        return source_index(args_.images.x, args_.column_sources, sample);
    }

    // Finds the source and destination of the lane's first sample of the ends, `tile` being the
    // tile's first vector in the ring. The constant border is put into all rows of the warp, once:
    // no copy touches it.
    __device__ __forceinline__ int place_end(int warp, Floats<4>* tile) {
        const Ends e = ends();
        if (lane_ >= e.left + e.right) return 0;
        const int sample = end_sample(e, lane_);
        const int column = source_column(sample);
        end_to_ = reinterpret_cast<float*>(tile) + sample - first_;
        end_ = args_.images.src + 4LL * max(column, 0);
        const int more = lane_ + 32 < e.left + e.right ? kMoreEnds : 0;
        if (column >= 0) return kEnd | more;
#pragma unroll 1
        for (int k = 0; k < S::kChunks * S::kRows; ++k) {
            const int row = k / S::kRows * S::kChunkRows + warp * S::kRows + k % S::kRows;
            end_to_[row * 4 * S::kRowVectors] = border_value<F32>(args_.images);
        }
        return more;
    }

    // `offset` is that of the row in the image, `vector` the first in the ring.
    __device__ __forceinline__ void copy_row(long long offset, int vector) const {
        if ((flags_ & kOwn) != 0) copy_vector(own_to_ + vector, own_ + offset);
        if ((flags_ & kHaloToo) != 0) copy_vector(halo_to_ + vector, halo_ + offset);
        if ((flags_ & (kEnd | kMoreEnds)) == 0) return;
        if ((flags_ & kEnd) != 0) copy_word(end_to_ + 4 * vector, end_ + offset);
        if ((flags_ & kMoreEnds) != 0) copy_more_ends(offset, vector);
    }

    // Copies the lane's further end samples, of which images that are not aligned have more than
    // 32.
    __device__ __forceinline__ void copy_more_ends(long long offset, int vector) const {
        const Ends e = ends();
        auto* const samples = reinterpret_cast<float*>(own_to_ - lane_ + vector) - first_;
#pragma unroll 1
        for (int k = lane_ + 32; k < e.left + e.right; k += 32) {
            const int sample = end_sample(e, k);
            const int column = source_column(sample);
            if (column >= 0)
                copy_word(samples + sample, args_.images.src + offset + 4LL * column);
            else
                samples[sample] = border_value<F32>(args_.images);
        }
    }

    __device__ __forceinline__ void fetch_inside(int y, int slot) const {
        long long offset = static_cast<long long>(y) * args_.images.src_pitch;
#pragma unroll
        for (int row = 0; row < S::kRows; ++row, offset += args_.images.src_pitch)
            copy_row(offset, slot + row * S::kRowVectors);
    }

    __device__ __forceinline__ void fetch_mapped(int y, int slot) const {
#pragma unroll 1
        for (int row = 0; row < S::kRows; ++row, slot += S::kRowVectors) {
            const int source = source_index(args_.images.y, args_.row_sources, y + row);
            if (source >= 0) {
                copy_row(static_cast<long long>(source) * args_.images.src_pitch, slot);
            } else {
                const float c = border_value<F32>(args_.images);
                own_to_[slot] = {{c, c, c, c}};
                if (lane_ < 2 * S::kHalo) halo_to_[slot] = {{c, c, c, c}};
            }
        }
    }

    const RingArgs& args_;
    int lane_;
    int first_;  // sample of the tile
    int flags_;
    const std::byte* own_;  // in row 0 of the image
    const std::byte* halo_;
    const std::byte* end_ = nullptr;
    Floats<4>* own_to_;  // in the first row of the ring
    Floats<4>* halo_to_;
    float* end_to_ = nullptr;
};

}  // namespace weft
