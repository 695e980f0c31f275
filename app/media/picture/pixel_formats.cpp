#include "app/media/picture/pixel_formats.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/media/picture/frame.h"

namespace weft {

namespace {

using Descriptor = AVPixFmtDescriptor;

const char* name_of(AVPixelFormat format) {
    const char* name = av_get_pix_fmt_name(format);
    return name ? name : "unknown";
}

bool has_flag(const Descriptor& desc, std::uint64_t flag) {
    return (desc.flags & flag) != 0;
}

bool is_palette(const Descriptor& desc) {
    return has_flag(desc, AV_PIX_FMT_FLAG_PAL);
}

int deepest(const Descriptor& desc) {
    int depth = 0;
    for (int i = 0; i < desc.nb_components; ++i) depth = std::max(depth, desc.comp[i].depth);
    return depth;
}

// The descriptor of uyyvyy411 cannot express its 6-byte period. XYZ is neither RGB nor YUV.
bool descriptor_tells_all(const Descriptor& desc) {
    const std::string_view name = desc.name;
    if (name == "uyyvyy411" || name.starts_with("xyz")) return false;
    if (has_flag(desc, AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER)) return false;
    return desc.nb_components > 0 &&
           (!has_flag(desc, AV_PIX_FMT_FLAG_FLOAT) || deepest(desc) == 32);
}

// The required properties of the native format.
struct Wanted {
    int components;
    int depth;
    int log2_chroma_w;
    int log2_chroma_h;
    std::uint64_t kind;  // RGB, alpha and float flags
};

constexpr std::uint64_t kKindFlags =
    AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_FLOAT;

Wanted wanted_for(const Descriptor& desc, bool opaque_palette) {
    if (is_palette(desc) && opaque_palette) return {3, 8, 0, 0, AV_PIX_FMT_FLAG_RGB};
    if (is_palette(desc)) return {4, 8, 0, 0, AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA};
    return {desc.nb_components, std::max(8, deepest(desc)), desc.log2_chroma_w, desc.log2_chroma_h,
            desc.flags & kKindFlags};
}

// comp[0].offset == 0 prefers rgba to argb; the deprecated yuvj formats are yuv with a range.
bool offers(const Descriptor& desc, const Wanted& wanted) {
    return desc.nb_components == wanted.components && desc.comp[0].depth == wanted.depth &&
           desc.log2_chroma_w == wanted.log2_chroma_w &&
           desc.log2_chroma_h == wanted.log2_chroma_h && (desc.flags & kKindFlags) == wanted.kind &&
           desc.comp[0].offset == 0 && !std::string_view(desc.name).starts_with("yuvj");
}

AVPixelFormat first_native(const Wanted& wanted) {
    for (const Descriptor* desc = av_pix_fmt_desc_next(nullptr); desc;
         desc = av_pix_fmt_desc_next(desc)) {
        const AVPixelFormat format = av_pix_fmt_desc_get_id(desc);
        if (offers(*desc, wanted) && is_native_format(format)) return format;
    }
    return AV_PIX_FMT_NONE;
}

// Scales a component of `depth` bits to 0..255; deeper ones are returned unchanged.
std::uint32_t spread(std::uint32_t value, int depth) {
    if (depth >= 8) return value;
    const std::uint32_t max = (1U << depth) - 1U;
    return (value * 255U + max / 2U) / max;
}

struct Row {
    std::uint8_t* data;
    int step;
    int bytes;  // per sample
};

Row row_of(const AVFrame& frame, const AVComponentDescriptor& comp, int y) {
    return {frame.data[comp.plane] + static_cast<std::ptrdiff_t>(y) * frame.linesize[comp.plane] +
                comp.offset,
            comp.step, (comp.depth + 7) / 8};
}

void store(Row row, const std::vector<std::uint32_t>& values) {
    for (std::uint32_t value : values) {
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&value), row.bytes, row.data);
        row.data += row.step;
    }
}

// Unpacks one component of the whole picture.
void unpack_component(const AVFrame& from, AVFrame& to, const Descriptor& source, int index) {
    const Descriptor& target = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(to.format));
    const bool chroma = !has_flag(source, AV_PIX_FMT_FLAG_RGB) && (index == 1 || index == 2);
    const int width = chroma ? AV_CEIL_RSHIFT(from.width, source.log2_chroma_w) : from.width;
    const int height = chroma ? AV_CEIL_RSHIFT(from.height, source.log2_chroma_h) : from.height;
    const int depth = source.comp[index].depth;
    // Only in monowhite is zero white; its descriptor does not show that.
    const std::uint32_t flip = from.format == AV_PIX_FMT_MONOWHITE ? 1U : 0U;
    std::array<const std::uint8_t*, 4> planes{};
    std::copy_n(from.data, planes.size(), planes.begin());
    std::vector<std::uint32_t> values(static_cast<std::size_t>(width));
    for (int y = 0; y < height; ++y) {
        av_read_image_line2(values.data(), planes.data(), from.linesize, &source, 0, y, index,
                            width, 0, sizeof(std::uint32_t));
        if (depth < 8)
            for (std::uint32_t& value : values) value = spread(value ^ flip, depth);
        store(row_of(to, target.comp[index], y), values);
    }
}

// libav's palette holds 256 native 32-bit words 0xAARRGGBB in data[1].
void unpack_palette(const AVFrame& from, AVFrame& to) {
    const int channels = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(to.format))->nb_components;
    const auto* palette = reinterpret_cast<const std::uint32_t*>(from.data[1]);
    for (int y = 0; y < from.height; ++y) {
        const std::uint8_t* in = from.data[0] + static_cast<std::ptrdiff_t>(y) * from.linesize[0];
        std::uint8_t* out = to.data[0] + static_cast<std::ptrdiff_t>(y) * to.linesize[0];
        for (int x = 0; x < from.width; ++x, out += channels) {
            const std::uint32_t argb = palette[in[x]];
            out[0] = static_cast<std::uint8_t>(argb >> 16U);
            out[1] = static_cast<std::uint8_t>(argb >> 8U);
            out[2] = static_cast<std::uint8_t>(argb);
            if (channels == 4) out[3] = static_cast<std::uint8_t>(argb >> 24U);
        }
    }
}

}  // namespace

AVPixelFormat native_target(AVPixelFormat format, bool opaque_palette) {
    if (is_native_format(format)) return format;
    const Descriptor* desc = av_pix_fmt_desc_get(format);
    if (!desc || !descriptor_tells_all(*desc)) return AV_PIX_FMT_NONE;
    const AVPixelFormat twin = av_pix_fmt_swap_endianness(format);
    if (twin != AV_PIX_FMT_NONE && is_native_format(twin)) return twin;
    return first_native(wanted_for(*desc, opaque_palette));
}

bool palette_is_opaque(const AVFrame& frame) {
    const auto* palette = reinterpret_cast<const std::uint32_t*>(frame.data[1]);
    for (int y = 0; y < frame.height; ++y) {
        const std::uint8_t* row =
            frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0];
        const auto clear = [&](std::uint8_t index) { return palette[index] >> 24U != 0xFFU; };
        if (std::any_of(row, row + frame.width, clear)) return false;
    }
    return true;
}

AVFramePtr unpack(const AVFrame& frame, AVPixelFormat target) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    if (target == AV_PIX_FMT_NONE || !is_native_format(target))
        throw MediaError(
            Outcome::failed,
            fmt::format("pixel format {} cannot be converted without loss", name_of(format)));
    AVFramePtr made = make_frame();
    made->format = target;
    made->width = frame.width;
    made->height = frame.height;
    av_check(av_frame_get_buffer(made.get(), 0), "allocating a frame", "memory");
    av_check(av_frame_copy_props(made.get(), &frame), "copying a frame's tags", "memory");
    const Descriptor& source = *av_pix_fmt_desc_get(format);
    if (is_palette(source)) {
        unpack_palette(frame, *made);
        return made;
    }
    for (int i = 0; i < source.nb_components; ++i) unpack_component(frame, *made, source, i);
    return made;
}

}  // namespace weft
