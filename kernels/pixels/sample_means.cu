// Idea: a warp takes a tile, adds up the samples of its mean with a stride of 32, and writes the
// tile. A block is a tile, and its mean is that of its own samples. A part that gets the mean of
// its edge has tiles of 64×64 samples, and each computes that mean again: the samples around a part
// are few, and a launch of its own would cost more.
//
// Lane l has the l-th of the 32 sums of take_means(); the butterfly adds the sum of lane l ^ 16,
// then 8, 4, 2 and 1, which gives every lane the same bits, because a + b is b + a.
//
//   lane   0   1   2  …  15  16  17  …  31
//          └───────────────── +──┘              then of 8, 4, 2, 1
//
// Launch: warps of blockIdx.x take the tiles of part blockIdx.y, which may have fewer than the
// launch. Limits: 32 parts. Cost: memory; a block's samples are read twice, the second time to
// write them. One warp per block is slow for a few blocks of millions of samples.
#include <algorithm>
#include <cstdint>

#include "kernels/common/conv_layout.h"
#include "kernels/common/quotient.h"
#include "kernels/common/samples.cuh"
#include "kernels/device/cuda_check.cuh"
#include "kernels/pixels/sample_means_backend.h"

namespace weft::device_ops {

namespace {

constexpr int kLanes = 32;
constexpr int kWarps = 8;  // per thread block
constexpr int kMostParts = 32;
constexpr int kEdgeTile = 64;

struct Axis {
    BlockAxis blocks;
    int first;  // tile
    int tiles;
    int samples;

    // The first sample of a block, as BlockAxis::begin().
    __device__ __forceinline__ int begin(int block) const {
        const int pixel = blocks.corner + block * blocks.size + (block == 0 ? 0 : blocks.pitch - 1);
        const int sample =
            pixel >= 0 ? pixel / blocks.pitch : -((blocks.pitch - 1 - pixel) / blocks.pitch);
        return min(max(sample, 0), samples);
    }
};

struct Part {
    const std::byte* src;
    std::byte* dst;
    const std::uint16_t* edge;  // or null
    long long src_pitch, dst_pitch;
    Axis x, y;
    int channels;
    int around;
    unsigned mask;
    float otherwise[4];
};

struct MeansArgs {
    Part parts[kMostParts];
};

template <class P>
struct Sum {
    using Type = unsigned long long;
};

template <>
struct Sum<F32> {
    using Type = double;
};

template <class P>
__device__ __forceinline__ typename P::Sample mean_of(unsigned long long sum, unsigned count) {
    const unsigned long long mean = sum / count;
    const unsigned long long twice = 2 * (sum % count);
    const bool up = twice > count || (twice == count && (mean & 1) != 0);
    return static_cast<typename P::Sample>(mean + (up ? 1 : 0));
}

template <class P>
__device__ __forceinline__ float mean_of(double sum, unsigned count) {
    return __double2float_rn(__ddiv_rn(sum, static_cast<double>(count)));
}

template <class T>
__device__ __forceinline__ T added_by_lanes(T value) {
#pragma unroll
    for (int away = kLanes / 2; away > 0; away /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFU, value, away);
    return value;
}

template <class P>
__device__ __forceinline__ const typename P::Sample& source(const Part& part, int s, int y) {
    return reinterpret_cast<const typename P::Sample*>(part.src + y * part.src_pitch)[s];
}

// The k-th sample around the part, as edge_place().
template <class P>
__device__ __forceinline__ typename P::Sample sample_around(const Part& part, int k, int channel) {
    const int width = part.x.samples;
    const int height = part.y.samples;
    const int row = width + 2;
    int x = k % row - 1;
    int y = k < row ? -1 : height;
    if (k >= 2 * row) {
        const int beside = k - 2 * row;
        x = beside < height ? -1 : width;
        y = beside % height;
    }
    return source<P>(part, x * part.channels + channel, y);
}

template <class P>
__device__ typename P::Sample edge_mean(const Part& part, int channel, int lane) {
    typename Sum<P>::Type sum = 0;
    unsigned count = 0;
    for (int k = lane; k < part.around; k += kLanes) {
        if (part.edge[k] == 0) continue;
        sum += sample_around<P>(part, k, channel);
        ++count;
    }
    sum = added_by_lanes(sum);
    count = added_by_lanes(count);
    if (count == 0)
        return P::finish(part.otherwise[channel], sizeof(typename P::Sample) == 1 ? 255 : 65535);
    return mean_of<P>(sum, count);
}

struct Tile {
    int left, top, width, height;
};

template <class P>
__device__ typename P::Sample tile_mean(const Part& part, const Tile& tile, int channel, int lane) {
    typename Sum<P>::Type sum = 0;
    const int count = tile.width * tile.height;
    for (int k = lane; k < count; k += kLanes)
        sum += source<P>(part, (tile.left + k % tile.width) * part.channels + channel,
                         tile.top + k / tile.width);
    return mean_of<P>(added_by_lanes(sum), static_cast<unsigned>(count));
}

template <class P>
__global__ void means(const __grid_constant__ MeansArgs args) {
    using Sample = typename P::Sample;
    const Part& part = args.parts[blockIdx.y];
    const int number = static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
    if (number >= part.x.tiles * part.y.tiles) return;  // the whole warp
    const int across = part.x.first + number % part.x.tiles;
    const int down = part.y.first + number / part.x.tiles;
    Tile tile{};
    tile.left = part.x.begin(across);
    tile.top = part.y.begin(down);
    tile.width = part.x.begin(across + 1) - tile.left;
    tile.height = part.y.begin(down + 1) - tile.top;
    const int count = tile.width * tile.height;
    if (count == 0) return;
    const int lane = static_cast<int>(threadIdx.x);
    for (int c = 0; c < part.channels; ++c) {
        const bool selected = (part.mask >> c & 1U) != 0;
        Sample mean{};
        if (selected)
            mean = part.edge != nullptr ? edge_mean<P>(part, c, lane)
                                        : tile_mean<P>(part, tile, c, lane);
        for (int k = lane; k < count; k += kLanes) {
            const int s = (tile.left + k % tile.width) * part.channels + c;
            const int y = tile.top + k / tile.width;
            reinterpret_cast<Sample*>(part.dst + y * part.dst_pitch)[s] =
                selected ? mean : source<P>(part, s, y);
        }
    }
}

Axis axis_of(const BlockAxis& blocks, int samples, bool edge) {
    if (edge) return {{kEdgeTile, 1, 0}, 0, ceil_div(samples, kEdgeTile), samples};
    return {blocks, blocks.first(), blocks.end(samples) - blocks.first(), samples};
}

Part part_of(const MeanPart& from) {
    const bool edge = from.edge.data != nullptr;
    Part part{};
    part.src = static_cast<const std::byte*>(from.src.data);
    part.dst = static_cast<std::byte*>(from.dst.data);
    part.edge = static_cast<const std::uint16_t*>(from.edge.data);
    part.src_pitch = from.src.pitch_bytes;
    part.dst_pitch = from.dst.pitch_bytes;
    part.x = axis_of(from.x, from.src.width, edge);
    part.y = axis_of(from.y, from.src.height, edge);
    part.channels = from.src.channels;
    part.around = from.edge.width;
    part.mask = from.channel_mask;
    for (std::size_t k = 0; k < from.otherwise.size(); ++k) part.otherwise[k] = from.otherwise[k];
    return part;
}

}  // namespace

int take_means(std::span<const MeanPart> parts, StreamView stream) {
    int launches = 0;
    for (std::size_t begin = 0; begin < parts.size(); begin += kMostParts, ++launches) {
        const std::size_t count = std::min<std::size_t>(parts.size() - begin, kMostParts);
        MeansArgs args{};
        int blocks = 0;
        for (std::size_t k = 0; k < count; ++k) {
            args.parts[k] = part_of(parts[begin + k]);
            const Part& part = args.parts[k];
            blocks = std::max(blocks, ceil_div(grid_size(part.x.tiles, part.y.tiles), kWarps));
        }
        const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(count));
        with_pixel_type(parts[begin].dst.type, [&](auto pixel) {
            means<decltype(pixel)><<<grid, dim3(kLanes, kWarps), 0, stream>>>(args);
        });
        cuda_check(cudaGetLastError(), "launch the means");
    }
    return launches;
}

}  // namespace weft::device_ops
