// Brings the rows of tensor_int8's blocks to shared memory, and makes the samples beyond the image.
//
// A warp copies every fourth row whole, so that it can make the row's ends itself, before the
// barrier that all wait at: blocks at the left and right end would otherwise be late by 1.5 µs of
// 10, with 3×3 taps at 4K on an H200. A thread copies the same 16 columns of all rows. For the same
// reason the warp itself separates channels.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/samples.cuh"
#include "kernels/tensor/interleaved_bytes.cuh"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_tile.cuh"

namespace weft {

__device__ __forceinline__ int int8_thread() {
    return static_cast<int>(threadIdx.y * 32 + threadIdx.x) & (kInt8Threads - 1);
}

// kChannels is the number of channels to separate, or 1.
template <int kChannels>
class Int8Feed {
 public:
    __device__ __forceinline__ Int8Feed(const Int8Args& args, Words<4>* tile)
        : args_(args),
          tile_(tile),
          column_((first() & ~15) + 16 * lane()),
          bytes_(column_ < 0 || lane() >= vectors() ? 0 : min(args.images.x.length - column_, 16)),
          row_(static_cast<int>(threadIdx.y)),
          to_(tile + row_ * vectors() + lane()),
          from_(args.images.src + static_cast<long long>(image_row(row_)) * args.images.src_pitch +
                column_) {}

    // Starts copying the rows that the next step needs in addition. All threads of the block.
    __device__ __forceinline__ void fetch(int step) {
        const int end = end_row(step);
        if (args_.tile.src_aligned && image_row(step == 0 ? 0 : end - kInt8StepRows) >= 0 &&
            image_row(end) <= args_.images.y.length)
            fetch_inside(end);
        else
            fetch_mapped(end);
    }

    // Finds this lane's end column and its source. It runs once, after the first fetch.
    __device__ __forceinline__ void find_ends() {
        at_end_ = first() < 0 || first() + 16 * args_.tile.segments > args_.images.x.length;
        const int k = lane() & (end_lanes() - 1);
        if (!at_end_ || k >= end_columns()) return;
        end_to_ = end_column(k) - (first() & ~15);
        end_from_ = source_of(k);
    }

    // Fills the columns of the rows fetched for a step that are outside the image, as far as
    // outputs need them: a lane per column, in as many rows as lanes allow. The warp's copies have
    // arrived; a barrier must follow.
    __device__ __forceinline__ void make_ends(int step) const {
        if (!at_end_) return;
        __syncwarp();
        if (end_from_ >= 0)
            copy_column(step);
        else if (end_to_ >= 0)
            make_column(step, end_to_ + (first() & ~15));
        for (int k = 32 + lane(); k < end_columns(); k += 32) make_column(step, end_column(k));
    }

    // Separates the first kPixels pixels of the rows fetched for a step, in place: from where a row
    // of the tile begins, kPixels bytes of each channel. The rows' ends are made; a barrier must
    // follow.
    template <int kPixels>
    __device__ __forceinline__ void separate(int step) const {
        constexpr int kAtOnce = 4;
        constexpr int kFour = 4 * kChannels;  // bytes
        const bool has_pixels = lane() < kPixels / 4;
        const int pitch = 16 * vectors();
        const int end = end_row(step);
        auto* const bytes = reinterpret_cast<std::uint8_t*>(tile_);
        const int from = (first() & 15) + kFour * lane();
        const int to = 4 * lane();
        __syncwarp();
#pragma unroll 1
        for (int row = own_row(step); row < end; row += kAtOnce * kInt8Warps) {
            Words<kChannels> pixels[kAtOnce] = {};
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k)
                if (has_pixels && row + k * kInt8Warps < end)
                    pixels[k] = *reinterpret_cast<const Words<kChannels>*>(
                        bytes + (row + k * kInt8Warps) * pitch + from);
            __syncwarp();
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k) {
                separate_channels(pixels[k].v);
                if (!has_pixels || row + k * kInt8Warps >= end) continue;
#pragma unroll
                for (int c = 0; c < kChannels; ++c)
                    *reinterpret_cast<std::uint32_t*>(bytes + (row + k * kInt8Warps) * pitch +
                                                      c * kPixels + to) = pixels[k].v[c];
            }
        }
    }

 private:
    __device__ __forceinline__ int lane() const {
        return static_cast<int>(threadIdx.x) & 31;
    }

    // Sample of the tile's first column that outputs need.
    __device__ __forceinline__ int first() const {
        return static_cast<int>(blockIdx.x) * kInt8BlockSamples<kChannels> - args_.tile.left;
    }

    __device__ __forceinline__ int vectors() const {
        return args_.tile.vectors;
    }

    // The end of the rows that a step is the first to need.
    __device__ __forceinline__ int end_row(int step) const {
        return args_.tile.rows + step * kInt8StepRows;
    }

    __device__ __forceinline__ int image_row(int row) const {
        return static_cast<int>(blockIdx.y) * args_.steps * kInt8StepRows + row -
               args_.images.y.before;
    }

    __device__ __forceinline__ void next_row() {
        row_ += kInt8Warps;
        to_ += kInt8Warps * vectors();
        from_ += static_cast<long long>(kInt8Warps) * args_.images.src_pitch;
    }

    __device__ __forceinline__ void fetch_inside(int end) {
#pragma unroll 4
        for (; row_ < end; next_row())
            if (bytes_ > 0) copy_part(to_, from_, bytes_);
    }

    __device__ __forceinline__ void fetch_mapped(int end) {
#pragma unroll 1
        for (; row_ < end; next_row())
            if (bytes_ > 0) fetch_row(row_source(image_row(row_)));
    }

    // Source row y; negative: the constant border.
    __device__ __forceinline__ void fetch_row(int y) const {
        const std::uint32_t w = args_.images.border_word;
        const std::byte* from =
            args_.images.src + static_cast<long long>(y) * args_.images.src_pitch + column_;
        if (y < 0)
            *to_ = {{w, w, w, w}};
        else if (args_.tile.src_aligned)
            copy_part(to_, from, bytes_);
        else
            *to_ = gathered_vector<U8>(reinterpret_cast<const std::uint8_t*>(from), 0, bytes_);
    }

    // Lanes for the end columns of a row: a power of two.
    __device__ __forceinline__ int end_lanes() const {
        return 1 << args_.tile.end_lanes_log2;
    }

    // The first of the rows that a step is the first to need and that the warp has copied: the
    // copies of others may not have arrived.
    __device__ __forceinline__ int own_row(int step) const {
        const int first = step == 0 ? 0 : end_row(step) - kInt8StepRows;
        return first + ((static_cast<int>(threadIdx.y) - first) & (kInt8Warps - 1));
    }

    // This lane's first row whose end it makes, and the distance to its next.
    __device__ __forceinline__ int first_end_row(int step) const {
        return own_row(step) + kInt8Warps * (lane() >> args_.tile.end_lanes_log2);
    }
    __device__ __forceinline__ int end_row_step() const {
        return (kInt8Warps * 32) >> args_.tile.end_lanes_log2;
    }

    // Columns left of the image come first, then those right of it.
    __device__ __forceinline__ int left_columns() const {
        return first() < 0 ? args_.images.x.before : 0;
    }

    __device__ __forceinline__ int end_columns() const {
        const int length = args_.images.x.length;
        const int end = min(first() + 16 * args_.tile.segments, length + args_.images.x.after);
        return left_columns() + max(end - length, 0);
    }

    __device__ __forceinline__ int end_column(int k) const {
        const int left = left_columns();
        return k < left ? k - left : args_.images.x.length + k - left;
    }

    // The byte of a row of the tile that end column `k` repeats; -1: not in the tile.
    __device__ __forceinline__ int source_of(int k) const {
        const int px = source_index(args_.images.x, args_.ends_x, end_column(k));
        const int byte = px - (first() & ~15);
        return px >= 0 && byte >= 0 && byte < 16 * vectors() ? byte : -1;
    }

    __device__ __forceinline__ void copy_column(int step) const {
        const int pitch = 16 * vectors();
        const int end = end_row(step) * pitch;
        auto* const bytes = reinterpret_cast<std::uint8_t*>(tile_);
#pragma unroll 1
        for (int row = first_end_row(step) * pitch; row < end; row += end_row_step() * pitch)
            bytes[row + end_to_] = bytes[row + end_from_];
    }

    // Makes a column of the constant border, or of an image that wraps or is narrower than the
    // taps.
    __device__ __forceinline__ void make_column(int step, int column) const {
        const int px = source_index(args_.images.x, args_.ends_x, column);
        auto* const bytes = reinterpret_cast<std::uint8_t*>(tile_) + column - (first() & ~15);
#pragma unroll 1
        for (int row = first_end_row(step); row < end_row(step); row += end_row_step()) {
            const int y = row_source(image_row(row));
            bytes[row * 16 * vectors()] =
                px < 0 || y < 0
                    ? static_cast<std::uint8_t>(args_.images.border_word)
                    : reinterpret_cast<const std::uint8_t*>(
                          args_.images
                              .src)[static_cast<long long>(y) * args_.images.src_pitch + px];
        }
    }

    __device__ __forceinline__ int row_source(int y) const {
        return source_index(args_.images.y, args_.ends_y, y);
    }

    const Int8Args& args_;
    Words<4>* tile_;
    int column_;  // sample that this thread's vectors start at
    int bytes_;   // of a vector that are in the image
    int row_;     // row of the tile that this thread copies next
    Words<4>* to_;
    const std::byte* from_;
    bool at_end_ = false;  // the same for all threads: make_ends has something to do
    int end_to_ = -1;      // offset in a row; -1: no column is this lane's
    int end_from_ = -1;    // -1: not in the tile
};

}  // namespace weft
