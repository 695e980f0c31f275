// Fills a block's tile in shared memory: bytes from the image, to halves less 128.
//
// A row is filled in segments of 16 samples. A segment starts `left` samples before a multiple of
// 16, so the bytes of two aligned 16-byte loads are shifted into place by four funnel shifts: which
// words they start at is the template's argument, the bits within a word an argument at run time.
//
// Blocks whose tile lies inside the image only load. In the others, segments that reach over the
// left or right end take their samples one by one through the border table; rows beyond the top or
// bottom are another row, or the constant.
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

__device__ __forceinline__ TensorOrigin tensor_origin(int tiles_x) {
    const int block = static_cast<int>(blockIdx.x);
    return {block % tiles_x * kTensorBlockSamples, block / tiles_x * kTensorBlockRows};
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

__device__ __forceinline__ std::uint32_t border_sample_at(const TensorArgs& args,
                                                          const std::uint8_t* row, int sample) {
    const int shift = args.tile.channel_shift;
    const int px = source_index(args.images.x, sample >> shift);
    if (px < 0) return args.images.border_word & 0xFFU;
    return row[(px << shift) + (sample & ((1 << shift) - 1))];
}

// The 32 bytes from `from`, a multiple of 16.
__device__ __forceinline__ SegmentWindow load_window(const std::uint8_t* from) {
    const auto* const vectors = reinterpret_cast<const SegmentWords*>(from);
    const SegmentWords low = vectors[0];
    const SegmentWords high = vectors[1];
    return {{low.w[0], low.w[1], low.w[2], low.w[3], high.w[0], high.w[1], high.w[2], high.w[3]}};
}

// The same where the image may end.
template <int kWord>
__device__ __forceinline__ SegmentWindow window_at_border(const TensorArgs& args, int y,
                                                          int first) {
    const std::uint8_t* const row = tensor_row(args.images, y);
    const int aligned = first & ~15;
    const int samples = args.images.x.length << args.tile.channel_shift;
    if (row != nullptr && args.tile.src_aligned && aligned >= 0 && aligned + 32 <= samples)
        return load_window(row + aligned);
    SegmentWindow window;
#pragma unroll
    for (int k = 0; k < 8; ++k) window.w[k] = args.images.border_word;
    if (row == nullptr) return window;
        // All at once, so that their ways to memory overlap.
#pragma unroll
    for (int k = kWord; k < kWord + 5; ++k) {
        window.w[k] = 0;
#pragma unroll
        for (int s = 0; s < 4; ++s)
            window.w[k] |= border_sample_at(args, row, aligned + 4 * k + s) << (8 * s);
    }
    return window;
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

// Which segment of which row a thread's item is, without a division.
struct TileSegment {
    __device__ __forceinline__ TileSegment(const TensorTile& t, int item)
        : row(item * t.segment_reciprocal >> kReciprocalBits), column(item - row * t.segments) {}
    int row;
    int column;
};

// Ahead: segments in flight of a thread.
template <int kWord, int Ahead, class Load>
__device__ __forceinline__ void fill_segments(const TensorTile& t, int thread, SegmentWords* tile,
                                              const Load& load) {
    const int count = t.rows * t.segments;
    const int bits = 8 * (-t.left & 3);
#pragma unroll 1
    for (int base = thread; base < count; base += Ahead * kTensorThreads) {
        SegmentWindow windows[Ahead];
        SegmentWords* to[Ahead];
#pragma unroll
        for (int k = 0; k < Ahead; ++k) {
            const int item = base + k * kTensorThreads;
            if (item >= count) break;
            const TileSegment segment(t, item);
            to[k] = tile + segment.row * t.pitch + 2 * segment.column;
            windows[k] = load(segment);
        }
#pragma unroll
        for (int k = 0; k < Ahead; ++k)
            if (base + k * kTensorThreads < count) store_segment<kWord>(windows[k], bits, to[k]);
    }
}

template <int kWord>
__device__ __forceinline__ void fill_shifted(const TensorArgs& args, const TensorOrigin& origin,
                                             int thread, SegmentWords* tile) {
    const TensorTile& t = args.tile;
    const int first = origin.sample - t.left;
    const int first_y = origin.y - args.images.y.before;
    const int samples = args.images.x.length << t.channel_shift;
    const bool inside = t.src_aligned && first >= 16 && first + 16 * t.segments + 16 <= samples &&
                        first_y >= 0 && first_y + t.rows <= args.images.y.length;
    if (inside) {
        const auto* const from = reinterpret_cast<const std::uint8_t*>(args.images.src) +
                                 static_cast<long long>(first_y) * args.images.src_pitch +
                                 (first & ~15);
        fill_segments<kWord, 3>(t, thread, tile, [&](const TileSegment& s) {
            return load_window(from + s.row * args.images.src_pitch + 16 * s.column);
        });
    } else {
        fill_segments<kWord, 1>(t, thread, tile, [&](const TileSegment& s) {
            return window_at_border<kWord>(args, first_y + s.row, first + 16 * s.column);
        });
    }
}

// All threads of the block; a barrier must follow.
__device__ __forceinline__ void fill_tile(const TensorArgs& args, const TensorOrigin& origin,
                                          int thread, SegmentWords* tile) {
    switch (-args.tile.left >> 2 & 3) {
        case 0:
            return fill_shifted<0>(args, origin, thread, tile);
        case 1:
            return fill_shifted<1>(args, origin, thread, tile);
        case 2:
            return fill_shifted<2>(args, origin, thread, tile);
        default:
            return fill_shifted<3>(args, origin, thread, tile);
    }
}

}  // namespace weft
