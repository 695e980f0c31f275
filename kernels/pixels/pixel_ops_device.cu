// The device half of pixel_ops.h; pixel_ops_backend.h fixes the arithmetic. One thread per sample,
// or per pixel in extract_luma, or per four words in copy_words; all are memory-bound and run once
// per frame.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "kernels/common/conv_layout.h"
#include "kernels/common/samples.cuh"
#include "kernels/device/cuda_check.cuh"
#include "kernels/pixels/pixel_ops_backend.h"

namespace weft::device_ops {

namespace {

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

// An image as kernels take it: rows of `samples` samples.
struct Plane {
    std::byte* data;
    long long pitch;
    int samples;
    int height;
    int channels;

    template <class P>
    __device__ __forceinline__ typename P::Sample& at(int s, int y) const {
        return reinterpret_cast<typename P::Sample*>(data + y * pitch)[s];
    }
};

Plane plane_of(const ImageView& v) {
    return {static_cast<std::byte*>(v.data), v.pitch_bytes, v.width * v.channels, v.height,
            v.channels};
}

struct Grid {
    int blocks;
    int tiles_x;
    dim3 block{kBlockX, kBlockY};
};

Grid grid_over(int items_x, int height) {
    const int tiles_x = (items_x + kBlockX - 1) / kBlockX;
    return {grid_size(tiles_x, (height + kBlockY - 1) / kBlockY), tiles_x};
}

struct Place {
    int x, y;
};

__device__ __forceinline__ Place place_of(int tiles_x) {
    return {static_cast<int>(blockIdx.x % tiles_x * kBlockX + threadIdx.x),
            static_cast<int>(blockIdx.x / tiles_x * kBlockY + threadIdx.y)};
}

__device__ __forceinline__ bool selected(unsigned mask, int channel) {
    return (mask >> channel & 1U) != 0;
}

// Two sizes are compiled: arguments are copied to the GPU at every launch.
template <int N>
struct BlendArgs {
    const std::byte* data[N];
    long long pitch[N];
    float weights[N];
    int count;
    Plane dst;
    bool absolute;
    float scale, bias, threshold, max_value;
    unsigned mask;
};

template <class P, int N>
__global__ void blend(const __grid_constant__ BlendArgs<N> args, int tiles_x) {
    const Place at = place_of(tiles_x);
    if (at.x >= args.dst.samples || at.y >= args.dst.height) return;
    using Sample = typename P::Sample;
    const auto in = [&](int k) {
        return reinterpret_cast<const Sample*>(args.data[k] + at.y * args.pitch[k])[at.x];
    };
    const Sample newest = in(0);
    if (!selected(args.mask, at.x % args.dst.channels)) {
        args.dst.template at<P>(at.x, at.y) = newest;
        return;
    }
    float sum = __fmul_rn(args.weights[0], P::value(newest));
    for (int k = 1; k < args.count; ++k) sum = __fmaf_rn(args.weights[k], P::value(in(k)), sum);
    float v = __fmaf_rn(args.absolute ? fabsf(sum) : sum, args.scale, args.bias);
    v = v < args.threshold ? 0.0F : v;
    args.dst.template at<P>(at.x, at.y) = P::finish(v, args.max_value);
}

struct LumaArgs {
    Plane r, g, b, luma;
    int channel_r, channel_g, channel_b;
    LumaWeights weights;
    float max_value;
};

template <class P>
__global__ void luma(const __grid_constant__ LumaArgs args, int tiles_x) {
    const Place at = place_of(tiles_x);
    if (at.x >= args.luma.samples || at.y >= args.luma.height) return;
    const auto in = [&](const Plane& p, int channel) {
        return P::value(p.at<P>(at.x * p.channels + channel, at.y));
    };
    const float red = __fmul_rn(args.weights.r, in(args.r, args.channel_r));
    const float green = __fmaf_rn(args.weights.g, in(args.g, args.channel_g), red);
    const float v = __fmaf_rn(args.weights.b, in(args.b, args.channel_b), green);
    args.luma.at<P>(at.x, at.y) = P::finish(v, args.max_value);
}

template <class P>
__global__ void extract(Plane from, int channel, int shift, Plane dst, int tiles_x) {
    const Place at = place_of(tiles_x);
    if (at.x >= dst.samples || at.y >= dst.height) return;
    dst.at<P>(at.x, at.y) = from.at<P>(at.x * from.channels + channel, at.y) >> shift;
}

template <class P>
__global__ void spread(Plane from, Plane dst, unsigned mask, int tiles_x) {
    const Place at = place_of(tiles_x);
    if (at.x >= dst.samples || at.y >= dst.height || !selected(mask, at.x % dst.channels)) return;
    dst.at<P>(at.x, at.y) = from.at<P>(at.x / dst.channels, at.y);
}

template <class P>
__global__ void fill(Plane dst, float value, float max_value, unsigned mask, int tiles_x) {
    const Place at = place_of(tiles_x);
    if (at.x >= dst.samples || at.y >= dst.height || !selected(mask, at.x % dst.channels)) return;
    dst.at<P>(at.x, at.y) = P::finish(value, max_value);
}

__device__ __forceinline__ float mixed(float from, float to, std::uint32_t weight) {
    if (weight == 0) return from;
    if (weight == 65'535) return to;
    const float share = __fdiv_rn(static_cast<float>(weight), 65'535.0F);
    return __fmaf_rn(share, __fsub_rn(to, from), from);
}

template <class Sample>
__device__ __forceinline__ Sample mixed(Sample from, Sample to, std::uint32_t weight) {
    constexpr std::uint32_t kFull = 65'535;
    return static_cast<Sample>((from * (kFull - weight) + to * weight + kFull / 2) / kFull);
}

constexpr int kMostMixed = 32;   // parts per launch
constexpr int kMixedPixels = 4;  // per thread, a block's width apart

struct MixArgs {
    struct Part {
        Plane filtered, weights, dst;
    };
    Part parts[kMostMixed];
};

// Block row blockIdx.y is of the part of that number, which may have fewer tiles than the launch.
// Samples of weight 0 are not written, because another part may write them.
template <class P>
__global__ void mix(const __grid_constant__ MixArgs args) {
    const MixArgs::Part& part = args.parts[blockIdx.y];
    const int channels = part.dst.channels;
    const int width = part.dst.samples / channels;
    const int tiles_x = (width + kBlockX * kMixedPixels - 1) / (kBlockX * kMixedPixels);
    const int y = static_cast<int>(blockIdx.x / tiles_x * kBlockY + threadIdx.y);
    if (y >= part.dst.height) return;
    const int first = static_cast<int>(blockIdx.x % tiles_x * kBlockX * kMixedPixels + threadIdx.x);
#pragma unroll
    for (int k = 0; k < kMixedPixels; ++k) {
        const int x = first + k * kBlockX;
        if (x >= width) return;
        const std::uint32_t weight = part.weights.at<U16>(x, y);
        if (weight == 0) continue;
        for (int s = x * channels; s < (x + 1) * channels; ++s) {
            auto& out = part.dst.at<P>(s, y);
            out = mixed(out, part.filtered.at<P>(s, y), weight);
        }
    }
}

constexpr int kCopiedRows = 4;
constexpr int kWord = 16;

// A thread takes 16 bytes of four rows, so that it has four loads in flight.
__global__ void copy_words(const Plane from, const Plane to, int row_bytes, int tiles_x) {
    const Place at = place_of(tiles_x);
    const int x = at.x * kWord;
    const int y = at.y * kCopiedRows;
    const int rows = min(to.height - y, kCopiedRows);
    if (x + kWord <= row_bytes) {
        uint4 held[kCopiedRows];
#pragma unroll
        for (int k = 0; k < kCopiedRows; ++k)
            if (k < rows)
                held[k] = *reinterpret_cast<const uint4*>(from.data + (y + k) * from.pitch + x);
#pragma unroll
        for (int k = 0; k < kCopiedRows; ++k)
            if (k < rows) *reinterpret_cast<uint4*>(to.data + (y + k) * to.pitch + x) = held[k];
        return;
    }
    for (int k = 0; k < rows; ++k)
        for (int b = x; b < row_bytes; ++b)
            to.data[(y + k) * to.pitch + b] = from.data[(y + k) * from.pitch + b];
}

bool has_whole_words(const ImageView& v) {
    return reinterpret_cast<std::uintptr_t>(v.data) % kWord == 0 && v.pitch_bytes % kWord == 0;
}

float type_max(PixelType type) {
    return type == PixelType::u8 ? 255.0F : 65535.0F;
}

template <int N>
void launch_blend(const TemporalBlend& how, std::span<const ImageView> frames, const ImageView& dst,
                  float max_value, unsigned mask, StreamView stream) {
    BlendArgs<N> args{};
    args.count = static_cast<int>(frames.size());
    for (int k = 0; k < args.count; ++k) {
        args.data[k] = static_cast<const std::byte*>(frames[k].data);
        args.pitch[k] = frames[k].pitch_bytes;
        args.weights[k] = how.weights[k];
    }
    args.dst = plane_of(dst);
    args.absolute = how.absolute;
    args.scale = how.scale;
    args.bias = how.bias;
    args.threshold = how.threshold;
    args.max_value = max_value;
    args.mask = mask;
    const Grid grid = grid_over(args.dst.samples, dst.height);
    with_pixel_type(dst.type, [&](auto pixel) {
        blend<decltype(pixel), N><<<grid.blocks, grid.block, 0, stream>>>(args, grid.tiles_x);
    });
    cuda_check(cudaGetLastError(), "launch the blend of frames");
}

// The image with rows in increasing addresses.
ImageView top_down(ImageView v) {
    v.data = v.row(v.height - 1);
    v.pitch_bytes = -v.pitch_bytes;
    return v;
}

cudaMemcpyKind copy_kind(const ImageView& src, const ImageView& dst) {
    if (src.space == MemorySpace::host) return cudaMemcpyHostToDevice;
    return dst.space == MemorySpace::host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

}  // namespace

void blend_frames(const TemporalBlend& how, std::span<const ImageView> frames, const ImageView& dst,
                  float max_value, unsigned mask, StreamView stream) {
    constexpr int kFew = 8;
    constexpr int kMost = 1024;  // 21 KB of arguments; CUDA takes 32
    if (frames.size() > kMost)
        throw std::runtime_error("a blend of more than 1024 frames does not fit a GPU launch");
    if (frames.size() <= kFew) return launch_blend<kFew>(how, frames, dst, max_value, mask, stream);
    launch_blend<kMost>(how, frames, dst, max_value, mask, stream);
}

void extract_luma(const ChannelView& r, const ChannelView& g, const ChannelView& b,
                  const LumaWeights& weights, const ImageView& to, StreamView stream) {
    const LumaArgs args{plane_of(r.image), plane_of(g.image), plane_of(b.image),
                        plane_of(to),      r.channel,         g.channel,
                        b.channel,         weights,           type_max(to.type)};
    const Grid grid = grid_over(args.luma.samples, to.height);
    with_pixel_type(to.type, [&](auto pixel) {
        luma<decltype(pixel)><<<grid.blocks, grid.block, 0, stream>>>(args, grid.tiles_x);
    });
    cuda_check(cudaGetLastError(), "launch the extraction of luma");
}

void extract_channel(const ChannelView& from, int shift, const ImageView& dst, StreamView stream) {
    const Plane to = plane_of(dst);
    const Grid grid = grid_over(to.samples, dst.height);
    const auto launch = [&](auto pixel) {
        extract<decltype(pixel)><<<grid.blocks, grid.block, 0, stream>>>(
            plane_of(from.image), from.channel, shift, to, grid.tiles_x);
    };
    dst.type == PixelType::u8 ? launch(U8{}) : launch(U16{});
    cuda_check(cudaGetLastError(), "launch the extraction of a channel");
}

void spread_luma(const ImageView& from, const ImageView& dst, unsigned mask, StreamView stream) {
    const Plane to = plane_of(dst);
    const Grid grid = grid_over(to.samples, dst.height);
    with_pixel_type(dst.type, [&](auto pixel) {
        spread<decltype(pixel)>
            <<<grid.blocks, grid.block, 0, stream>>>(plane_of(from), to, mask, grid.tiles_x);
    });
    cuda_check(cudaGetLastError(), "launch the spreading of luma");
}

void fill_channels(const ImageView& dst, float value, unsigned mask, StreamView stream) {
    const Plane to = plane_of(dst);
    const Grid grid = grid_over(to.samples, dst.height);
    with_pixel_type(dst.type, [&](auto pixel) {
        fill<decltype(pixel)><<<grid.blocks, grid.block, 0, stream>>>(to, value, type_max(dst.type),
                                                                      mask, grid.tiles_x);
    });
    cuda_check(cudaGetLastError(), "launch a fill");
}

int mix_images(std::span<const MixedPart> parts, StreamView stream) {
    int launches = 0;
    for (std::size_t begin = 0; begin < parts.size(); begin += kMostMixed, ++launches) {
        const std::size_t count = std::min<std::size_t>(parts.size() - begin, kMostMixed);
        MixArgs args{};
        int blocks = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const MixedPart& part = parts[begin + k];
            args.parts[k] = {plane_of(part.filtered), plane_of(part.weights), plane_of(part.dst)};
            const int pixels = (part.dst.width + kMixedPixels - 1) / kMixedPixels;
            blocks = std::max(blocks, grid_over(pixels, part.dst.height).blocks);
        }
        const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(count));
        with_pixel_type(parts[begin].dst.type, [&](auto pixel) {
            mix<decltype(pixel)><<<grid, dim3(kBlockX, kBlockY), 0, stream>>>(args);
        });
        cuda_check(cudaGetLastError(), "launch the mixing of images");
    }
    return launches;
}

void copy_image(const ImageView& src, const ImageView& dst, StreamView stream) {
    const cudaMemcpyKind kind = copy_kind(src, dst);
    if ((src.pitch_bytes < 0) != (dst.pitch_bytes < 0)) {  // one is upside down: row by row
        for (int y = 0; y < src.height; ++y)
            cuda_check(cudaMemcpyAsync(dst.row(y), src.row(y), src.row_bytes(), kind, stream),
                       "copy a row of an image");
        return;
    }
    const ImageView from = src.pitch_bytes < 0 ? top_down(src) : src;
    const ImageView to = dst.pitch_bytes < 0 ? top_down(dst) : dst;
    cuda_check(cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.pitch_bytes), from.data,
                                 static_cast<std::size_t>(from.pitch_bytes), src.row_bytes(),
                                 static_cast<std::size_t>(src.height), kind, stream),
               "copy an image");
}

void copy_by_kernel(const ImageView& src, const ImageView& dst, StreamView stream) {
    if (!has_whole_words(src) || !has_whole_words(dst))
        return device_ops::copy_image(src, dst, stream);
    const int row_bytes = static_cast<int>(src.row_bytes());
    const Grid grid =
        grid_over((row_bytes + kWord - 1) / kWord, (src.height + kCopiedRows - 1) / kCopiedRows);
    copy_words<<<grid.blocks, grid.block, 0, stream>>>(plane_of(src), plane_of(dst), row_bytes,
                                                       grid.tiles_x);
    cuda_check(cudaGetLastError(), "launch the copy of an image");
}

}  // namespace weft::device_ops
