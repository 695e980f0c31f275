// Compares pixel formats by depth, chroma, alpha and colour.
#include "app/media/picture/pixel_traits.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {

PixelTraits pixel_traits(AVPixelFormat format) {
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(format);
    if (desc == nullptr) throw Error(Outcome::failed, "unknown pixel format");
    const bool palette = (desc->flags & AV_PIX_FMT_FLAG_PAL) != 0;
    PixelTraits traits;
    traits.alpha = (desc->flags & AV_PIX_FMT_FLAG_ALPHA) != 0 || palette;
    traits.rgb = (desc->flags & AV_PIX_FMT_FLAG_RGB) != 0 || palette;
    traits.gray = !traits.rgb && desc->nb_components <= 2;
    traits.floating = (desc->flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
    traits.depth = desc->comp[0].depth;
    traits.log2_chroma_w = desc->log2_chroma_w;
    traits.log2_chroma_h = desc->log2_chroma_h;
    traits.bits = av_get_bits_per_pixel(desc);
    traits.palette = palette;
    return traits;
}

int sample_bytes(const AVPixFmtDescriptor& format) {
    if (format.comp[0].depth > 16) return 4;
    return format.comp[0].depth > 8 ? 2 : 1;
}

AVPixelFormat without_range(AVPixelFormat format) {
    switch (format) {
        case AV_PIX_FMT_YUVJ420P:
            return AV_PIX_FMT_YUV420P;
        case AV_PIX_FMT_YUVJ422P:
            return AV_PIX_FMT_YUV422P;
        case AV_PIX_FMT_YUVJ444P:
            return AV_PIX_FMT_YUV444P;
        case AV_PIX_FMT_YUVJ440P:
            return AV_PIX_FMT_YUV440P;
        case AV_PIX_FMT_YUVJ411P:
            return AV_PIX_FMT_YUV411P;
        default:
            return format;
    }
}

std::vector<std::string> format_losses(AVPixelFormat from, AVPixelFormat to) {
    if (without_range(from) == without_range(to)) return {};
    const PixelTraits a = pixel_traits(from);
    const PixelTraits b = pixel_traits(to);
    const auto as = [&](std::string_view what) {
        return fmt::format("{} is stored as {}: {}", av_get_pix_fmt_name(from),
                           av_get_pix_fmt_name(to), what);
    };
    std::vector<std::string> losses;
    if (b.palette) losses.push_back(as("256 colours per frame"));
    if (a.alpha && !b.alpha) losses.push_back(as("transparency is lost"));
    if (a.floating && !b.floating)
        losses.push_back(as(fmt::format("floating point becomes {} bits", b.depth)));
    else if (b.depth < a.depth)
        losses.push_back(as(fmt::format("{} bits become {}", a.depth, b.depth)));
    if (a.gray) return losses;
    if (b.gray) losses.push_back(as("colour is lost"));
    if (b.log2_chroma_w > a.log2_chroma_w || b.log2_chroma_h > a.log2_chroma_h)
        losses.push_back(as("the chroma loses resolution"));
    if (a.rgb && !b.rgb && !b.gray) losses.push_back(as("RGB is converted to YUV and rounded"));
    return losses;
}

bool is_exact(AVPixelFormat from, AVPixelFormat to) {
    if (without_range(from) == without_range(to)) return true;
    const PixelTraits a = pixel_traits(from);
    const PixelTraits b = pixel_traits(to);
    if (a.depth != b.depth || a.rgb != b.rgb || a.floating != b.floating) return false;
    if (b.palette || (a.alpha && !b.alpha)) return false;
    if (a.gray) return true;
    return !b.gray && a.log2_chroma_w == b.log2_chroma_w && a.log2_chroma_h == b.log2_chroma_h;
}

}  // namespace weft
