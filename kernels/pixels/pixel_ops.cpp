#include "kernels/pixels/pixel_ops.h"

#include <stdexcept>

#include <fmt/format.h>

#include "kernels/conv_problem.h"
#include "kernels/pixels/pixel_ops_backend.h"

namespace weft {

namespace {

std::string shape(const ImageView& v) {
    return fmt::format("{}×{} {}×{} in {} memory", v.width, v.height, name_of(v.type), v.channels,
                       v.space == MemorySpace::host ? "host" : "device");
}

[[noreturn]] void refuse_operation(std::string_view operation, const std::string& sentence) {
    throw std::invalid_argument(fmt::format("{}: {}", operation, sentence));
}

// Checks that images of one call match; `channels` includes the number of channels.
void check_alike(std::string_view operation, const ImageView& a, const ImageView& b,
                 bool channels) {
    const bool alike = a.width == b.width && a.height == b.height && a.type == b.type &&
                       a.space == b.space && (!channels || a.channels == b.channels);
    if (!alike)
        refuse_operation(operation, fmt::format("images differ: {} and {}", shape(a), shape(b)));
}

void check_one_channel(std::string_view operation, const ImageView& luma) {
    if (luma.channels != 1)
        refuse_operation(operation, fmt::format("luma has one channel, not {}", luma.channels));
}

void check_channel(std::string_view operation, const ChannelView& source) {
    if (source.channel < 0 || source.channel >= source.image.channels)
        refuse_operation(operation, fmt::format("channel {} of an image with {}", source.channel,
                                                source.image.channels));
}

LumaWeights luma_weights(ColorMatrix matrix, int height) {
    switch (matrix) {
        case ColorMatrix::unspecified:
            break;
        case ColorMatrix::bt601:
            return {0.299F, 0.587F, 0.114F};
        case ColorMatrix::bt709:
            return {0.2126F, 0.7152F, 0.0722F};
        case ColorMatrix::bt2020:
            return {0.2627F, 0.6780F, 0.0593F};
    }
    return luma_weights(height >= 720 ? ColorMatrix::bt709 : ColorMatrix::bt601, height);
}

bool on_device(const ImageView& v) {
    return v.space == MemorySpace::device;
}

}  // namespace

void blend_frames(const TemporalBlend& blend, std::span<const ImageView> frames,
                  const ImageView& dst, float max_value, unsigned channel_mask, StreamView stream) {
    if (frames.empty() || frames.size() != blend.weights.size())
        refuse_operation(
            "blend", fmt::format("{} frames for {} weights", frames.size(), blend.weights.size()));
    for (const ImageView& frame : frames) check_alike("blend", frame, dst, true);
    if (on_device(dst))
        device_ops::blend_frames(blend, frames, dst, max_value, channel_mask, stream);
    else
        host_ops::blend_frames(blend, frames, dst, max_value, channel_mask);
}

void extract_luma(const ChannelView& r, const ChannelView& g, const ChannelView& b,
                  ColorMatrix matrix, const ImageView& luma, StreamView stream) {
    check_one_channel("luma", luma);
    for (const ChannelView* source : {&r, &g, &b}) {
        check_alike("luma", source->image, luma, false);
        check_channel("luma", *source);
    }
    const LumaWeights weights = luma_weights(matrix, luma.height);
    if (on_device(luma))
        device_ops::extract_luma(r, g, b, weights, luma, stream);
    else
        host_ops::extract_luma(r, g, b, weights, luma);
}

void extract_channel(const ChannelView& from, int shift, const ImageView& dst, StreamView stream) {
    check_alike("channel", from.image, dst, false);
    check_channel("channel", from);
    if (dst.channels != 1)
        refuse_operation("channel", fmt::format("one channel does not fill {}", dst.channels));
    if (dst.type == PixelType::f32 || shift < 0 || shift > 15)
        refuse_operation(
            "channel", fmt::format("{} samples cannot be shifted by {}", name_of(dst.type), shift));
    if (on_device(dst))
        device_ops::extract_channel(from, shift, dst, stream);
    else
        host_ops::extract_channel(from, shift, dst);
}

void spread_luma(const ImageView& luma, const ImageView& dst, unsigned channel_mask,
                 StreamView stream) {
    check_one_channel("luma", luma);
    check_alike("luma", luma, dst, false);
    if (on_device(dst))
        device_ops::spread_luma(luma, dst, channel_mask, stream);
    else
        host_ops::spread_luma(luma, dst, channel_mask);
}

void fill_channels(const ImageView& dst, float value, unsigned channel_mask, StreamView stream) {
    if (on_device(dst))
        device_ops::fill_channels(dst, value, channel_mask, stream);
    else
        host_ops::fill_channels(dst, value, channel_mask);
}

int mix_images(std::span<const MixedPart> parts, StreamView stream) {
    if (parts.empty()) return 0;
    const ImageView& first = parts.front().dst;
    for (const MixedPart& part : parts) {
        check_alike("mix", part.filtered, part.dst, true);
        ImageView like = part.dst;
        like.channels = 1;
        like.type = PixelType::u16;
        if (part.weights.data != nullptr) check_alike("mix", part.weights, like, true);
        if (part.dst.type != first.type || part.dst.space != first.space)
            refuse_operation("mix",
                             fmt::format("parts differ: {} and {}", shape(first), shape(part.dst)));
    }
    if (on_device(first)) return device_ops::mix_images(parts, stream);
    host_ops::mix_images(parts);
    return 1;
}

int copy_images(std::span<const CopiedImage> images, StreamView stream) {
    if (images.empty()) return 0;
    for (const auto& [src, dst] : images) check_alike("copy", src, dst, true);
    if (on_device(images.front().src)) return device_ops::copy_images(images, stream);
    host_ops::copy_images(images);
    return 1;
}

void copy_image(const ImageView& src, const ImageView& dst, StreamView stream) {
    if (src.width != dst.width || src.height != dst.height || src.channels != dst.channels ||
        src.type != dst.type)
        refuse_operation("copy", fmt::format("images differ: {} and {}", shape(src), shape(dst)));
    if (on_device(src) || on_device(dst))
        device_ops::copy_image(src, dst, stream);
    else
        host_ops::copy_image(src, dst);
}

void copy_by_kernel(const ImageView& src, const ImageView& dst, StreamView stream) {
    check_alike("copy", src, dst, true);
    if (!on_device(src)) refuse_operation("copy", "no kernel copies images in host memory");
    device_ops::copy_by_kernel(src, dst, stream);
}

}  // namespace weft
