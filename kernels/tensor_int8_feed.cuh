// Brings the tiles of tensor_int8 to shared memory, and makes what lies beyond the image.
//
// A block's tiles lie below one another, so that a thread copies the same 16 columns of all, and
// where the columns outside the image come from is looked up once: blocks at the left and right end
// take part in every round, and the slowest block is the kernel's time (3×3 taps at 4K on an H200:
// 11.8 µs with the lookup in each tile, 10.7 with it once).
#pragma once

#include "kernels/mma.cuh"
#include "kernels/samples.cuh"
#include "kernels/tensor_int8_args.h"
#include "kernels/tensor_tile.cuh"

namespace weft {

class Int8Feed {
 public:
    // Of the block's column of tiles.
    __device__ __forceinline__ Int8Feed(const Int8Args& args, int thread)
        : args_(args),
          thread_(thread),
          first_(static_cast<int>(blockIdx.x) * kInt8Samples - args.tile.left),
          row_(thread * args.tile.vector_reciprocal >> kReciprocalBits) {
        const int column = thread - row_ * vectors();
        from_ = (first_ & ~15) + 16 * column;
        bytes_ =
            from_ < 0 || row_ >= args.tile.vector_step ? 0 : min(args.images.x.length - from_, 16);
    }

    // Starts copying a tile. All threads of the block.
    __device__ __forceinline__ void fetch(int tile_y, SegmentWords* tile) const {
        if (bytes_ <= 0) return;
        const int y = first_row(tile_y);
        if (args_.tile.src_aligned && bytes_ == 16 && y >= 0 &&
            y + args_.tile.rows <= args_.images.y.length)
            fetch_inside(y, tile + thread_);
        else
            fetch_mapped(y, tile + thread_);
    }

    // Where this thread's end column comes from; once, after the first fetch.
    __device__ __forceinline__ void find_ends() {
        if (at_end()) end_source_ = source_of(thread_ % 32);
    }

    // The same for all threads: make_ends has something to do.
    __device__ __forceinline__ bool at_end() const {
        return first_ < 0 || first_ + 16 * args_.tile.segments > args_.images.x.length;
    }

    // Fills the columns of a fetched tile that lie outside the image, as far as outputs need them:
    // a lane for a column, a warp for a row. All threads of the block; a barrier must follow.
    __device__ __forceinline__ void make_ends(int tile_y, SegmentWords* tile) const {
        const int pitch = 16 * vectors();
        const int columns = end_columns();
        auto* const bytes = reinterpret_cast<std::uint8_t*>(tile);
        for (int k = thread_ % 32; k < columns; k += 32) {
            const int source = k < 32 ? end_source_ : source_of(k);
            const int to = end_column(k) - (first_ & ~15);
#pragma unroll 4
            for (int row = thread_ / 32; row < args_.tile.rows; row += kInt8Warps)
                bytes[row * pitch + to] = source >= 0
                                              ? bytes[row * pitch + source]
                                              : far_sample(end_column(k), first_row(tile_y) + row);
        }
    }

 private:
    __device__ __forceinline__ int vectors() const {
        return args_.tile.segments + 1;
    }

    __device__ __forceinline__ int first_row(int tile_y) const {
        return tile_y * args_.block_rows - args_.images.y.before;
    }

    __device__ __forceinline__ const std::byte* source_at(int y) const {
        return args_.images.src + static_cast<long long>(y) * args_.images.src_pitch + from_;
    }

    __device__ __forceinline__ void fetch_inside(int y, SegmentWords* to) const {
        const int step = args_.tile.vector_step;
        const std::byte* from = source_at(y + row_);
#pragma unroll 4
        for (int row = row_; row < args_.tile.rows; row += step) {
            copy_vector(to, from);
            to += step * vectors();
            from += static_cast<long long>(step) * args_.images.src_pitch;
        }
    }

    __device__ __forceinline__ void fetch_mapped(int y, SegmentWords* to) const {
        const int step = args_.tile.vector_step;
#pragma unroll 2
        for (int row = row_; row < args_.tile.rows; row += step) {
            const int source = source_row(args_.images, y + row);
            const std::uint32_t w = args_.images.border_word;
            if (source < 0)
                *to = {{w, w, w, w}};
            else if (args_.tile.src_aligned)
                copy_part(to, source_at(source), bytes_);
            else
                *to = gathered_vector(reinterpret_cast<const std::uint8_t*>(source_at(source)), 0,
                                      bytes_);
            to += step * vectors();
        }
    }

    // Columns left of the image come first, then those right of it.
    __device__ __forceinline__ int left_columns() const {
        return max(-first_, 0);
    }

    __device__ __forceinline__ int end_columns() const {
        const int length = args_.images.x.length;
        const int end = min(first_ + 16 * args_.tile.segments, length + args_.images.x.after);
        return left_columns() + max(end - length, 0);
    }

    __device__ __forceinline__ int end_column(int k) const {
        return k < left_columns() ? first_ + k : args_.images.x.length + k - left_columns();
    }

    // The byte of a row of the tile that end column `k` repeats; -1: it is not there.
    __device__ __forceinline__ int source_of(int k) const {
        const int px = source_index(args_.images.x, end_column(k));
        const int byte = px - (first_ & ~15);
        return px >= 0 && byte >= 0 && byte < 16 * vectors() ? byte : -1;
    }

    // The constant border, or a sample of an image that wraps or is narrower than the taps.
    __device__ __forceinline__ std::uint8_t far_sample(int column, int row) const {
        const int px = source_index(args_.images.x, column);
        const int y = source_row(args_.images, row);
        if (px < 0 || y < 0) return static_cast<std::uint8_t>(args_.images.border_word);
        return reinterpret_cast<const std::uint8_t*>(
            args_.images.src)[static_cast<long long>(y) * args_.images.src_pitch + px];
    }

    const Int8Args& args_;
    int thread_;
    int first_;  // sample of the tile's first column that outputs need
    int row_;    // of the tile, that this thread copies first
    int from_;   // sample that its vector starts at
    int bytes_;  // of the vector that lie in the image
    int end_source_ = -1;
};

}  // namespace weft
