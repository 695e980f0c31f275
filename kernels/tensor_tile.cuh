// Fills a block's tile in shared memory: bytes from the image, to halves less 128.
//
// A row is filled in segments of 16 samples. A segment starts `left` samples before a multiple of
// 16, so the bytes of two aligned 16-byte loads are shifted into place by four funnel shifts: which
// words they start at is the template's argument, the bits within a word an argument at run time.
//
// Segments at the image's left and right end, where such loads would leave the row, take their
// samples one by one through the border table, a lane for a column and a warp for a row. Rows
// beyond the top or bottom are another row, or the constant.
#pragma once

#include "kernels/mma.cuh"
#include "kernels/samples.cuh"
#include "kernels/tensor_args.h"

namespace weft {

struct alignas(16) SegmentWords {
    std::uint32_t w[4];
};

// Words kWord .. kWord + 4 of the 32 bytes that hold a segment; the others are not set.
struct SegmentWindow {
    std::uint32_t w[8];
};

// The tile in half precision: TensorTile's rows of chunks.
extern __shared__ SegmentWords tensor_tile[];

struct TensorOrigin {
    int sample;  // of the block's first output
    int y;
};

// The grid is (tiles in a row, rows of tiles modulo kTensorGridY, those divided by it).
__device__ __forceinline__ TensorOrigin tensor_origin() {
    return {static_cast<int>(blockIdx.x) * kTensorBlockSamples,
            static_cast<int>(blockIdx.y + blockIdx.z * kTensorGridY) * kTensorBlockRows};
}

__device__ __forceinline__ int tensor_thread() {
    return static_cast<int>(threadIdx.y * 32 + threadIdx.x);
}

// The address of image row y, or null: the constant border.
__device__ __forceinline__ const std::uint8_t* tensor_row(const ConvImages& images, int y) {
    if (static_cast<unsigned>(y) >= static_cast<unsigned>(images.y.length))
        y = source_index(images.y, y);
    if (y < 0) return nullptr;
    return reinterpret_cast<const std::uint8_t*>(images.src +
                                                 static_cast<long long>(y) * images.src_pitch);
}

// The 32 bytes from `from`, a multiple of 16.
__device__ __forceinline__ SegmentWindow load_window(const std::uint8_t* from) {
    const auto* const vectors = reinterpret_cast<const SegmentWords*>(from);
    const SegmentWords low = vectors[0];
    const SegmentWords high = vectors[1];
    return {{low.w[0], low.w[1], low.w[2], low.w[3], high.w[0], high.w[1], high.w[2], high.w[3]}};
}

__device__ __forceinline__ SegmentWindow constant_window(const ConvImages& images) {
    const std::uint32_t w = images.border_word;
    return {{w, w, w, w, w, w, w, w}};
}

template <int kWord>
__device__ __forceinline__ void store_segment(const SegmentWindow& window, int bits,
                                              SegmentWords* to) {
    SegmentWords chunks[2];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const std::uint32_t word =
            __funnelshift_r(window.w[kWord + k], window.w[kWord + k + 1], bits);
        chunks[k / 2].w[k % 2 * 2] = centred_halves(word, 0);
        chunks[k / 2].w[k % 2 * 2 + 1] = centred_halves(word, 1);
    }
    to[0] = chunks[0];
    to[1] = chunks[1];
}

// Where a block's tile lies in the image.
struct TilePlace {
    __device__ __forceinline__ TilePlace(const TensorArgs& args, const TensorOrigin& origin)
        : first(origin.sample - args.tile.left), first_y(origin.y - args.images.y.before) {
        const int samples = args.images.x.length << args.tile.channel_shift;
        const int aligned = first & ~15;
        begin = aligned < 0 ? (15 - aligned) >> 4 : 0;
        end = min((samples - 32 - aligned) >> 4, args.tile.segments - 1) + 1;
        if (!args.tile.src_aligned || end <= begin) begin = end = 0;
    }
    int first;    // sample of the tile's first column
    int first_y;  // row of its first row
    int begin;    // segments begin .. end - 1 of every row are loaded as vectors
    int end;
};

// Which segment of which row a thread's item is, without a division.
struct TileSegment {
    __device__ __forceinline__ TileSegment(const TensorTile& t, int item)
        : row(item * t.segment_reciprocal >> kReciprocalBits), column(item - row * t.segments) {}
    int row;
    int column;
};

template <int kWord>
__device__ __forceinline__ void fill_segments(const TensorArgs& args, const TilePlace& place,
                                              int thread, SegmentWords* tile) {
    constexpr int kAhead = 3;  // segments in flight of a thread
    const TensorTile& t = args.tile;
    const int count = t.rows * t.segments;
    const int bits = 8 * (-t.left & 3);
    const int aligned = place.first & ~15;
#pragma unroll 1
    for (int base = thread; base < count; base += kAhead * kTensorThreads) {
        SegmentWindow windows[kAhead];
        SegmentWords* to[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            const int item = base + k * kTensorThreads;
            const TileSegment s(t, item);
            to[k] = nullptr;
            if (item >= count || s.column < place.begin || s.column >= place.end) continue;
            to[k] = tile + s.row * t.pitch + 2 * s.column;
            const std::uint8_t* const row = tensor_row(args.images, place.first_y + s.row);
            windows[k] = row == nullptr ? constant_window(args.images)
                                        : load_window(row + aligned + 16 * s.column);
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k)
            if (to[k] != nullptr) store_segment<kWord>(windows[k], bits, to[k]);
    }
}

// A byte as the low 16 bits of a half, less 128.
__device__ __forceinline__ std::uint16_t centred_half(std::uint32_t sample) {
    return static_cast<std::uint16_t>(centred_halves(sample, 0));
}

// The segments that fill_segments leaves out.
__device__ __forceinline__ void fill_ends(const TensorArgs& args, const TilePlace& place,
                                          int thread, SegmentWords* tile) {
    const TensorTile& t = args.tile;
    const int left_out = 16 * (t.segments - (place.end - place.begin));
    for (int k = thread % 32; k < left_out; k += 32) {
        const int column = k < 16 * place.begin ? k : k + 16 * (place.end - place.begin);
        const int sample = place.first + column;
        const int px = source_index(args.images.x, sample >> t.channel_shift);
        const int from = (px << t.channel_shift) + (sample & ((1 << t.channel_shift) - 1));
        auto* to = reinterpret_cast<std::uint16_t*>(tile) + column;
#pragma unroll 4
        for (int r = thread / 32; r < t.rows; r += kTensorThreads / 32) {
            const std::uint8_t* const row = tensor_row(args.images, place.first_y + r);
            const bool outside = px < 0 || row == nullptr;
            to[8 * r * t.pitch] =
                centred_half(outside ? args.images.border_word & 0xFFU : row[from]);
        }
    }
}

// All threads of the block; a barrier must follow.
__device__ __forceinline__ void fill_tile(const TensorArgs& args, const TensorOrigin& origin,
                                          int thread, SegmentWords* tile) {
    const TilePlace place(args, origin);
    switch (-args.tile.left >> 2 & 3) {
        case 0:
            fill_segments<0>(args, place, thread, tile);
            break;
        case 1:
            fill_segments<1>(args, place, thread, tile);
            break;
        case 2:
            fill_segments<2>(args, place, thread, tile);
            break;
        default:
            fill_segments<3>(args, place, thread, tile);
            break;
    }
    if (place.end - place.begin < args.tile.segments) fill_ends(args, place, thread, tile);
}

}  // namespace weft
