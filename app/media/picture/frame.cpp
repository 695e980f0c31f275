#include "app/media/picture/frame.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "app/media/picture/pixel_traits.h"
#include "filters/planes.h"
#include "kernels/device/inplace_vector.h"
#include "kernels/pixel_type.h"

namespace weft {

namespace {

static_assert(std::endian::native == std::endian::little, "samples are read as little-endian");

using Descriptor = AVPixFmtDescriptor;

bool has_flag(const Descriptor& desc, std::uint64_t flag) {
    return (desc.flags & flag) != 0;
}

// Alpha is libav's last component; the first ones are y, u, v or r, g, b in that order.
Component component_of(const Descriptor& desc, int index) {
    const bool alpha = has_flag(desc, AV_PIX_FMT_FLAG_ALPHA);
    if (alpha && index == desc.nb_components - 1) return Component::a;
    constexpr std::array kRgb = {Component::r, Component::g, Component::b};
    constexpr std::array kYuv = {Component::y, Component::u, Component::v};
    return (has_flag(desc, AV_PIX_FMT_FLAG_RGB) ? kRgb : kYuv).at(static_cast<std::size_t>(index));
}

bool plain_samples(const Descriptor& desc) {
    constexpr std::uint64_t kNotPlain = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                                        AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER |
                                        AV_PIX_FMT_FLAG_BE;
    if (has_flag(desc, kNotPlain) || desc.nb_components == 0) return false;
    const int depth = desc.comp[0].depth;
    const bool is_float = has_flag(desc, AV_PIX_FMT_FLAG_FLOAT);
    if (is_float ? depth != 32 : depth < 8 || depth > 16) return false;
    return std::all_of(desc.comp, desc.comp + desc.nb_components,
                       [&](const auto& comp) { return comp.depth == depth && comp.shift == 0; });
}

using ComponentIndices = InplaceVector<int, 4>;

// Component indices of one plane in memory order.
ComponentIndices plane_components(const Descriptor& desc, int plane) {
    ComponentIndices in_plane;
    for (int i = 0; i < desc.nb_components; ++i) {
        if (desc.comp[i].plane != plane) continue;
        in_plane.push_back(i);
        for (std::size_t k = in_plane.size() - 1; k > 0; --k)
            if (desc.comp[in_plane[k]].offset < desc.comp[in_plane[k - 1]].offset)
                std::swap(in_plane[k], in_plane[k - 1]);
    }
    return in_plane;
}

int plane_count(const Descriptor& desc) {
    int last = 0;
    for (int i = 0; i < desc.nb_components; ++i) last = std::max(last, desc.comp[i].plane);
    return last + 1;
}

// Samples of the plane's components follow each other without gaps: rules out rgb0, yuyv422.
bool dense_plane(const Descriptor& desc, const ComponentIndices& components) {
    const int bytes = sample_bytes(desc);
    const int step = static_cast<int>(components.size()) * bytes;
    for (std::size_t i = 0; i < components.size(); ++i) {
        const AVComponentDescriptor& comp = desc.comp[components[i]];
        if (comp.step != step || comp.offset != static_cast<int>(i) * bytes) return false;
    }
    return true;
}

// Luma and chroma of packed 4:4:4 share a plane, which a luma filter could not address alone.
bool separate_luma(const Descriptor& desc, const ComponentIndices& components) {
    const auto chroma = [&](int i) { return is_chroma(component_of(desc, i)); };
    const auto count = std::count_if(components.begin(), components.end(), chroma);
    return count == 0 || count == static_cast<std::ptrdiff_t>(components.size());
}

bool is_native(const Descriptor& desc) {
    if (!plain_samples(desc)) return false;
    for (int p = 0; p < plane_count(desc); ++p) {
        const ComponentIndices components = plane_components(desc, p);
        if (components.empty() || !dense_plane(desc, components) ||
            !separate_luma(desc, components))
            return false;
    }
    return true;
}

const Descriptor& native_descriptor(AVPixelFormat format) {
    const Descriptor* desc = av_pix_fmt_desc_get(format);
    if (!desc || !is_native(*desc))
        throw MediaError(Outcome::failed, fmt::format("pixel format {} cannot be filtered as it is",
                                                      desc ? desc->name : "unknown"));
    return *desc;
}

struct PlaneSize {
    int width, height;
};

PlaneSize plane_size(const Descriptor& desc, const AVFrame& frame, const ComponentIndices& plane) {
    if (!is_chroma(component_of(desc, plane.front()))) return {frame.width, frame.height};
    return {AV_CEIL_RSHIFT(frame.width, desc.log2_chroma_w),
            AV_CEIL_RSHIFT(frame.height, desc.log2_chroma_h)};
}

PlaneInfo plane_info(const Descriptor& desc, const AVFrame& frame, int plane) {
    const ComponentIndices components = plane_components(desc, plane);
    const PlaneSize size = plane_size(desc, frame, components);
    PlaneInfo info{size.width, size.height, {}};
    for (int i : components) info.components.push_back(component_of(desc, i));
    return info;
}

SampleType sample_type(const Descriptor& desc) {
    if (has_flag(desc, AV_PIX_FMT_FLAG_FLOAT)) return SampleType::f32;
    return desc.comp[0].depth > 8 ? SampleType::u16 : SampleType::u8;
}

// RGB files tag their matrix as "RGB", which does not define luma, so use their primaries.
ColorMatrix color_matrix(const AVFrame& frame) {
    if (frame.colorspace == AVCOL_SPC_BT709) return ColorMatrix::bt709;
    if (frame.colorspace == AVCOL_SPC_BT470BG || frame.colorspace == AVCOL_SPC_SMPTE170M)
        return ColorMatrix::bt601;
    if (frame.colorspace == AVCOL_SPC_BT2020_NCL || frame.colorspace == AVCOL_SPC_BT2020_CL)
        return ColorMatrix::bt2020;
    if (frame.color_primaries == AVCOL_PRI_BT709) return ColorMatrix::bt709;
    if (frame.color_primaries == AVCOL_PRI_BT470BG || frame.color_primaries == AVCOL_PRI_SMPTE170M)
        return ColorMatrix::bt601;
    if (frame.color_primaries == AVCOL_PRI_BT2020) return ColorMatrix::bt2020;
    return ColorMatrix::unspecified;
}

TransferFunction transfer_function(const AVFrame& frame) {
    switch (frame.color_trc) {
        case AVCOL_TRC_UNSPECIFIED:
        case AVCOL_TRC_RESERVED0:
        case AVCOL_TRC_RESERVED:
            return TransferFunction::unspecified;
        case AVCOL_TRC_BT709:
        case AVCOL_TRC_SMPTE170M:
        case AVCOL_TRC_BT2020_10:
        case AVCOL_TRC_BT2020_12:
        case AVCOL_TRC_IEC61966_2_4:  // BT.709 in the range of both
            return TransferFunction::bt709;
        case AVCOL_TRC_IEC61966_2_1:
            return TransferFunction::srgb;
        case AVCOL_TRC_GAMMA22:
            return TransferFunction::gamma22;
        case AVCOL_TRC_GAMMA28:
            return TransferFunction::gamma28;
        case AVCOL_TRC_SMPTE2084:
            return TransferFunction::pq;
        case AVCOL_TRC_ARIB_STD_B67:
            return TransferFunction::hlg;
        case AVCOL_TRC_LINEAR:
            return TransferFunction::linear;
        default:
            return TransferFunction::other;
    }
}

// Untagged RGB and gray are full range, untagged YUV is limited, as in swscale.
bool full_range(const AVFrame& frame, const Descriptor& desc) {
    if (frame.color_range != AVCOL_RANGE_UNSPECIFIED) return frame.color_range == AVCOL_RANGE_JPEG;
    const bool gray = desc.nb_components < 3;
    const bool jpeg = std::string_view(desc.name).starts_with("yuvj");
    return gray || jpeg || has_flag(desc, AV_PIX_FMT_FLAG_RGB);
}

}  // namespace

AVPixelFormat sample_format(const AVFrame& frame) {
    if (!in_gpu_memory(frame)) return static_cast<AVPixelFormat>(frame.format);
    return reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data)->sw_format;
}

bool in_gpu_memory(const AVFrame& frame) {
    return frame.format == AV_PIX_FMT_CUDA && frame.hw_frames_ctx != nullptr;
}

bool is_native_format(AVPixelFormat format) {
    const Descriptor* desc = av_pix_fmt_desc_get(format);
    return desc && is_native(*desc);
}

FrameInfo frame_info(const AVFrame& frame, int rotation_degrees) {
    const Descriptor& desc = native_descriptor(sample_format(frame));
    FrameInfo info;
    info.width = frame.width;
    info.height = frame.height;
    info.sample = sample_type(desc);
    info.depth_bits = desc.comp[0].depth;
    for (int p = 0; p < plane_count(desc); ++p) info.planes.push_back(plane_info(desc, frame, p));
    info.matrix = color_matrix(frame);
    info.transfer = transfer_function(frame);
    info.full_range = full_range(frame, desc);
    info.rotation_degrees = rotation_degrees;
    info.interlaced = frame.interlaced_frame != 0;
    return info;
}

PlaneViews plane_views(const AVFrame& frame) {
    const Descriptor& desc = native_descriptor(sample_format(frame));
    const auto space = in_gpu_memory(frame) ? MemorySpace::device : MemorySpace::host;
    PlaneViews views;
    for (int p = 0; p < plane_count(desc); ++p) {
        const ComponentIndices components = plane_components(desc, p);
        const PlaneSize size = plane_size(desc, frame, components);
        views.push_back({.data = frame.data[p],
                         .width = size.width,
                         .height = size.height,
                         .channels = static_cast<int>(components.size()),
                         .pitch_bytes = frame.linesize[p],
                         .type = pixel_type(sample_type(desc)),
                         .space = space});
    }
    return views;
}

AVFramePtr without_pixels(const AVFrame& frame) {
    AVFramePtr made = make_frame();
    made->format = sample_format(frame);
    made->width = frame.width;
    made->height = frame.height;
    av_check(av_frame_copy_props(made.get(), &frame), "copying a frame's tags", "memory");
    return made;
}

AVFramePtr new_frame_like(const AVFrame& frame) {
    AVFramePtr made = without_pixels(frame);
    av_check(av_frame_get_buffer(made.get(), 0), "allocating a frame", "memory");
    return made;
}

}  // namespace weft
