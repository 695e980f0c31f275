// The device half of pixel_ops.h; pixel_ops_backend.h fixes the arithmetic. One thread per sample,
// or per pixel in extract_luma, or per word in mix and four in copy; all are memory-bound and run
// once per frame.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

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

constexpr int kWord = 16;  // bytes

// Parts are arguments, of which CUDA takes 32 KB. Two numbers are compiled, because arguments are
// copied to the GPU at every launch.
constexpr int kFewParts = 8;
constexpr int kMostParts = 256;

template <class Part, int N>
struct PartArgs {
    Part parts[N];
};

struct MixedPlanes {
    Plane filtered, weights, dst;
    int phase;  // pixels of dst since the last whole word; -1: the rows are not words
};

// As one load or store, or as few as possible.
template <class T, int N>
struct alignas(sizeof(T) * N < kWord ? sizeof(T) * N : kWord) Values {
    T at[N];
};

// Samples of weight 0 are not written, because another part may write them.
template <class P>
__device__ __forceinline__ void mix_pixel(const MixedPlanes& part, int x, int y) {
    const std::uint32_t weight = part.weights.data == nullptr ? 65'535 : part.weights.at<U16>(x, y);
    if (weight == 0) return;
    const int channels = part.dst.channels;
    for (int s = x * channels; s < (x + 1) * channels; ++s) {
        auto& out = part.dst.at<P>(s, y);
        out = mixed(out, part.filtered.at<P>(s, y), weight);
    }
}

// The pixels of a word, of which each has C samples.
template <class P, int C>
__device__ __forceinline__ void mix_word(const MixedPlanes& part, int x, int y) {
    using Sample = typename P::Sample;
    constexpr int kSamples = kWord / static_cast<int>(sizeof(Sample));
    using Word = Values<Sample, kSamples>;
    using Weights = Values<std::uint16_t, kSamples / C>;
    auto* const out = reinterpret_cast<Word*>(&part.dst.at<P>(x * C, y));
    const auto* const filtered = reinterpret_cast<const Word*>(&part.filtered.at<P>(x * C, y));
    if (part.weights.data == nullptr) {
        *out = *filtered;
        return;
    }
    const Weights w = *reinterpret_cast<const Weights*>(&part.weights.at<U16>(x, y));
    unsigned any = 0;
    unsigned all = 65'535;
    bool everywhere = true;
#pragma unroll
    for (int k = 0; k < kSamples / C; ++k) {
        any |= w.at[k];
        all &= w.at[k];
        everywhere = everywhere && w.at[k] != 0;
    }
    if (any == 0) return;
    Word to = *filtered;
    if (all != 65'535) {
        const Word from = *out;
#pragma unroll
        for (int k = 0; k < kSamples; ++k) to.at[k] = mixed(from.at[k], to.at[k], w.at[k / C]);
    }
    if (everywhere) {
        *out = to;
        return;
    }
#pragma unroll
    for (int k = 0; k < kSamples; ++k)
        if (w.at[k / C] != 0) out->at[k] = to.at[k];
}

// A word of so many pixels, or one pixel of three channels.
template <class P>
__host__ __device__ constexpr int pixels_per_thread(int channels) {
    const int pixels = kWord / static_cast<int>(sizeof(typename P::Sample)) / channels;
    return channels == 3 || pixels == 0 ? 1 : pixels;
}

// Block row blockIdx.y is of the part of that number, which may have fewer tiles than the launch.
template <class P, int N>
__global__ void mix(const __grid_constant__ PartArgs<MixedPlanes, N> args) {
    const MixedPlanes& part = args.parts[blockIdx.y];
    const int channels = part.dst.channels;
    const int width = part.dst.samples / channels;
    const int pixels = pixels_per_thread<P>(channels);
    const int phase = max(part.phase, 0);
    const int tiles_x = (phase + width + kBlockX * pixels - 1) / (kBlockX * pixels);
    const int y = static_cast<int>(blockIdx.x / tiles_x * kBlockY + threadIdx.y);
    if (y >= part.dst.height) return;
    const int word = static_cast<int>(blockIdx.x % tiles_x * kBlockX + threadIdx.x);
    const int x = word * pixels - phase;
    if (part.phase < 0 || x < 0 || x + pixels > width) {
        for (int k = max(x, 0); k < min(x + pixels, width); ++k) mix_pixel<P>(part, k, y);
        return;
    }
    if (channels == 1) mix_word<P, 1>(part, x, y);
    if (channels == 2) mix_word<P, 2>(part, x, y);
    if (channels == 4) mix_word<P, 4>(part, x, y);
}

// Whether rows that begin `pixels` before the image begin with a whole word of `bytes`.
bool begins_with_word(const ImageView& v, int pixels, int bytes) {
    const auto pixel = static_cast<std::uintptr_t>(v.channels) * bytes_per_sample(v.type);
    const auto begin = reinterpret_cast<std::uintptr_t>(v.data) - pixels * pixel;
    return begin % bytes == 0 && v.pitch_bytes % bytes == 0;
}

MixedPlanes planes_of(const MixedPart& part) {
    MixedPlanes planes{plane_of(part.filtered), plane_of(part.weights), plane_of(part.dst), -1};
    const int pixel = part.dst.channels * static_cast<int>(bytes_per_sample(part.dst.type));
    if (kWord % pixel != 0) return planes;
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(part.dst.data) % kWord);
    const int phase = past / pixel;
    const int weight_bytes = std::min(kWord, kWord / pixel * 2);
    if (past % pixel == 0 && begins_with_word(part.dst, phase, kWord) &&
        begins_with_word(part.filtered, phase, kWord) &&
        (part.weights.data == nullptr || begins_with_word(part.weights, phase, weight_bytes)))
        planes.phase = phase;
    return planes;
}

template <int N>
void launch_mix(std::span<const MixedPart> parts, StreamView stream) {
    with_pixel_type(parts.front().dst.type, [&](auto pixel) {
        using P = decltype(pixel);
        PartArgs<MixedPlanes, N> args{};
        int blocks = 0;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            args.parts[k] = planes_of(parts[k]);
            const int pixels = pixels_per_thread<P>(parts[k].dst.channels);
            const int words =
                (std::max(args.parts[k].phase, 0) + parts[k].dst.width + pixels - 1) / pixels;
            blocks = std::max(blocks, grid_over(words, parts[k].dst.height).blocks);
        }
        const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(parts.size()));
        mix<P, N><<<grid, dim3(kBlockX, kBlockY), 0, stream>>>(args);
    });
    cuda_check(cudaGetLastError(), "launch the mixing of images");
}

constexpr int kCopiedRows = 4;

struct CopiedPlanes {
    Plane from, to;
    int row_bytes;
    bool words;  // rows begin with whole words
};

// A thread takes 16 bytes of four rows, so that it has four loads in flight. Block row blockIdx.y
// is of the image of that number.
template <int N>
__global__ void copy(const __grid_constant__ PartArgs<CopiedPlanes, N> args) {
    const CopiedPlanes& part = args.parts[blockIdx.y];
    const Plane& from = part.from;
    const Plane& to = part.to;
    const int tiles_x = (part.row_bytes + kBlockX * kWord - 1) / (kBlockX * kWord);
    const Place at = place_of(tiles_x);
    const int x = at.x * kWord;
    const int y = at.y * kCopiedRows;
    const int rows = min(to.height - y, kCopiedRows);
    if (part.words && x + kWord <= part.row_bytes) {
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
        for (int b = x; b < min(x + kWord, part.row_bytes); ++b)
            to.data[(y + k) * to.pitch + b] = from.data[(y + k) * from.pitch + b];
}

bool has_whole_words(const ImageView& v) {
    return reinterpret_cast<std::uintptr_t>(v.data) % kWord == 0 && v.pitch_bytes % kWord == 0;
}

template <int N>
void launch_copy(std::span<const CopiedImage> images, StreamView stream) {
    PartArgs<CopiedPlanes, N> args{};
    int blocks = 0;
    for (std::size_t k = 0; k < images.size(); ++k) {
        const auto& [src, dst] = images[k];
        const int row_bytes = static_cast<int>(src.row_bytes());
        args.parts[k] = {plane_of(src), plane_of(dst), row_bytes,
                         has_whole_words(src) && has_whole_words(dst)};
        blocks = std::max(blocks, grid_over((row_bytes + kWord - 1) / kWord,
                                            (src.height + kCopiedRows - 1) / kCopiedRows)
                                      .blocks);
    }
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(images.size()));
    copy<N><<<grid, dim3(kBlockX, kBlockY), 0, stream>>>(args);
    cuda_check(cudaGetLastError(), "launch the copy of images");
}

// Calls launch(a span of at most kMostParts parts, their compiled number) for all parts. Returns
// the number of calls.
template <class Part, class Launch>
int in_launches(std::span<const Part> parts, const Launch& launch) {
    int launches = 0;
    for (std::size_t begin = 0; begin < parts.size(); begin += kMostParts, ++launches) {
        const auto some =
            parts.subspan(begin, std::min<std::size_t>(parts.size() - begin, kMostParts));
        if (some.size() <= kFewParts)
            launch(some, std::integral_constant<int, kFewParts>());
        else
            launch(some, std::integral_constant<int, kMostParts>());
    }
    return launches;
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
    return in_launches(parts, [&](auto some, auto number) { launch_mix<number>(some, stream); });
}

int copy_images(std::span<const CopiedImage> images, StreamView stream) {
    return in_launches(images, [&](auto some, auto number) { launch_copy<number>(some, stream); });
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
    const CopiedImage image{src, dst};
    launch_copy<kFewParts>({&image, 1}, stream);
}

}  // namespace weft::device_ops
