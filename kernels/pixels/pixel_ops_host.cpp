#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/pixels/host_rows.h"
#include "kernels/pixels/pixel_ops_backend.h"
#include "kernels/with_sample_type.h"

namespace weft::host_ops {

namespace {

// Samples processed at a time: 4 KiB of floats per array stay in the first-level cache.
constexpr std::size_t kChunk = 1024;
using Chunk = std::array<float, kChunk>;

float ceiling(PixelType type) {
    return type == PixelType::u8 ? 255.0F : 65535.0F;
}

std::size_t samples_of(const ImageView& v) {
    return static_cast<std::size_t>(v.width) * static_cast<std::size_t>(v.channels);
}

std::byte* sample(const ImageView& v, int y, std::size_t index) {
    return v.row(y) + index * bytes_per_sample(v.type);
}

bool has(unsigned mask, int channel) {
    return (mask >> static_cast<unsigned>(channel) & 1U) != 0;
}

bool covers_all(unsigned mask, int channels) {
    for (int c = 0; c < channels; ++c)
        if (!has(mask, c)) return false;
    return true;
}

// Calls body(y, first, count) for pieces of at most kChunk of each row's `row_length` items.
template <class Body>
void for_each_chunk(int height, std::size_t row_length, const Body& body) {
    for (int y = 0; y < height; ++y)
        for (std::size_t first = 0; first < row_length; first += kChunk)
            body(y, first, std::min(kChunk, row_length - first));
}

// Copies the channels that `mask` leaves out, pixel by pixel.
void copy_other_channels(const ImageView& src, const ImageView& dst, unsigned mask) {
    const std::size_t bytes = bytes_per_sample(dst.type);
    for (int c = 0; c < dst.channels; ++c) {
        if (has(mask, c)) continue;
        for (int y = 0; y < dst.height; ++y) {
            const std::byte* in = src.row(y) + c * bytes;
            std::byte* out = dst.row(y) + c * bytes;
            const std::size_t step = bytes * dst.channels;
            for (int x = 0; x < dst.width; ++x) std::memcpy(out + x * step, in + x * step, bytes);
        }
    }
}

}  // namespace

void blend_frames(const TemporalBlend& blend, std::span<const ImageView> frames,
                  const ImageView& dst, float max_value, unsigned channel_mask) {
    const RowOps& ops = row_ops();
    const RowBlend how{blend.scale, blend.bias, blend.threshold, blend.absolute};
    Chunk sums;
    for_each_chunk(dst.height, samples_of(dst), [&](int y, std::size_t first, std::size_t count) {
        ops.weigh(blend.weights[0], sample(frames[0], y, first), dst.type, sums.data(), count);
        for (std::size_t k = 1; k < frames.size(); ++k)
            ops.add_weighed(blend.weights[k], sample(frames[k], y, first), dst.type, sums.data(),
                            count);
        ops.blend(sums.data(), count, how);
        ops.finish(sums.data(), sample(dst, y, first), dst.type, count, {.max_value = max_value});
    });
    if (!covers_all(channel_mask, dst.channels)) copy_other_channels(frames[0], dst, channel_mask);
}

void extract_luma(const ChannelView& r, const ChannelView& g, const ChannelView& b,
                  const LumaWeights& weights, const ImageView& luma) {
    const RowOps& ops = row_ops();
    Chunk plane, sums;
    const auto gather = [&](const ChannelView& v, int y, std::size_t first, std::size_t count) {
        ops.gather(sample(v.image, y, first * v.image.channels + v.channel), v.image.type,
                   v.image.channels, plane.data(), count);
    };
    for_each_chunk(luma.height, luma.width, [&](int y, std::size_t first, std::size_t count) {
        gather(r, y, first, count);
        ops.weigh(weights.r, plane.data(), PixelType::f32, sums.data(), count);
        gather(g, y, first, count);
        ops.add_weighed(weights.g, plane.data(), PixelType::f32, sums.data(), count);
        gather(b, y, first, count);
        ops.add_weighed(weights.b, plane.data(), PixelType::f32, sums.data(), count);
        ops.finish(sums.data(), sample(luma, y, first), luma.type, count,
                   {.max_value = ceiling(luma.type)});
    });
}

namespace {

template <class Sample>
void extract_samples(const ChannelView& from, int shift, const ImageView& dst) {
    const int step = from.image.channels;
    for (int y = 0; y < dst.height; ++y) {
        const auto* in = reinterpret_cast<const Sample*>(from.image.row(y)) + from.channel;
        auto* out = reinterpret_cast<Sample*>(dst.row(y));
        for (int x = 0; x < dst.width; ++x) out[x] = static_cast<Sample>(in[x * step] >> shift);
    }
}

}  // namespace

void extract_channel(const ChannelView& from, int shift, const ImageView& dst) {
    if (dst.type == PixelType::u8)
        extract_samples<std::uint8_t>(from, shift, dst);
    else
        extract_samples<std::uint16_t>(from, shift, dst);
}

void spread_luma(const ImageView& luma, const ImageView& dst, unsigned channel_mask) {
    for (int c = 0; c < dst.channels; ++c) {
        if (!has(channel_mask, c)) continue;
        for (int y = 0; y < dst.height; ++y)
            row_ops().scatter(luma.row(y), sample(dst, y, c), dst.type, dst.channels, dst.width);
    }
}

void fill_channels(const ImageView& dst, float value, unsigned channel_mask) {
    const RowOps& ops = row_ops();
    Chunk values;
    values.fill(value);
    std::array<std::byte, kChunk * sizeof(float)> finished{};
    ops.finish(values.data(), finished.data(), dst.type, kChunk, {.max_value = ceiling(dst.type)});
    for (int c = 0; c < dst.channels; ++c) {
        if (!has(channel_mask, c)) continue;
        for_each_chunk(dst.height, dst.width, [&](int y, std::size_t first, std::size_t count) {
            ops.scatter(finished.data(), sample(dst, y, first * dst.channels + c), dst.type,
                        dst.channels, count);
        });
    }
}

namespace {

template <class Sample>
Sample mixed(Sample from, Sample to, std::uint32_t weight) {
    constexpr std::uint32_t kFull = 65'535;
    return static_cast<Sample>((from * (kFull - weight) + to * weight + kFull / 2) / kFull);
}

template <>
float mixed(float from, float to, std::uint32_t weight) {
    if (weight == 0) return from;
    if (weight == 65'535) return to;
    return std::fma(static_cast<float>(weight) / 65'535.0F, to - from, from);
}

template <class Sample>
void mix_part(const MixedPart& part) {
    const ImageView& dst = part.dst;
    for (int y = 0; y < dst.height; ++y) {
        const auto* in = reinterpret_cast<const Sample*>(part.filtered.row(y));
        if (part.weights.data == nullptr) {
            std::memcpy(dst.row(y), in, dst.row_bytes());
            continue;
        }
        const auto* w = reinterpret_cast<const std::uint16_t*>(part.weights.row(y));
        auto* out = reinterpret_cast<Sample*>(dst.row(y));
        for (int x = 0; x < dst.width; ++x)
            for (int c = 0; c < dst.channels; ++c, ++in, ++out) *out = mixed(*out, *in, w[x]);
    }
}

}  // namespace

void mix_images(std::span<const MixedPart> parts) {
    for (const MixedPart& part : parts)
        with_sample_type(part.dst.type, [&]<class Sample>(Sample) { mix_part<Sample>(part); });
}

void copy_images(std::span<const CopiedImage> images) {
    for (const auto& [src, dst] : images) copy_image(src, dst);
}

void copy_image(const ImageView& src, const ImageView& dst) {
    for (int y = 0; y < dst.height; ++y) std::memcpy(dst.row(y), src.row(y), dst.row_bytes());
}

}  // namespace weft::host_ops
