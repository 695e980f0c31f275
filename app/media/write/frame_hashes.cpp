#include "app/media/write/frame_hashes.h"

#include <cstring>

#include <fmt/format.h>

#include "app/media/picture/pixel_traits.h"
#include "app/media/picture/samples.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

// The same samples without unused bytes.
AVPixelFormat without_padding(AVPixelFormat format) {
    const AVPixFmtDescriptor& pixel = *av_pix_fmt_desc_get(format);
    const bool padded = (pixel.flags & AV_PIX_FMT_FLAG_RGB) != 0 && pixel.nb_components == 3 &&
                        pixel.comp[0].step == 4 && pixel.comp[0].depth == 8;
    return padded ? AV_PIX_FMT_GBRP : format;
}

Hash128 hash_planes(const AVFrame& frame) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor& pixel = *av_pix_fmt_desc_get(format);
    FastHash hash;
    for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
        const bool chroma = plane == 1 || plane == 2;
        const int rows = chroma ? AV_CEIL_RSHIFT(frame.height, pixel.log2_chroma_h) : frame.height;
        const int bytes = av_image_get_linesize(format, frame.width, plane);
        for (int y = 0; y < rows; ++y)
            hash.add(frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane],
                     static_cast<std::size_t>(bytes));
    }
    return hash.digest();
}

// BMP stores gray as palette indices.
AVFramePtr gray_of_palette(const AVFrame& frame) {
    AVFramePtr gray = make_frame();
    gray->format = AV_PIX_FMT_GRAY8;
    gray->width = frame.width;
    gray->height = frame.height;
    av_check(av_frame_get_buffer(gray.get(), 0), "allocating a frame", "the check");
    for (int y = 0; y < frame.height; ++y) {
        const std::uint8_t* const from = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0];
        std::uint8_t* const to = gray->data[0] + std::ptrdiff_t{y} * gray->linesize[0];
        // An entry is 0xAARRGGBB; a colour must not pass for gray.
        for (int x = 0; x < frame.width; ++x) {
            std::uint32_t color = 0;
            std::memcpy(&color, frame.data[1] + 4 * from[x], sizeof color);
            const std::uint32_t value = color & 0xFFU;
            if ((color & 0xFFFFFFU) != value * 0x010101U)
                throw Error(Outcome::failed, "a gray picture came back with colours");
            to[x] = static_cast<std::uint8_t>(value);
        }
    }
    return gray;
}

}  // namespace

Hash128 sample_hash(const AVFrame& frame, AVPixelFormat format) {
    const auto from = static_cast<AVPixelFormat>(frame.format);
    const AVPixelFormat to = without_padding(format);
    if (from == AV_PIX_FMT_PAL8 && to == AV_PIX_FMT_GRAY8)
        return hash_planes(*gray_of_palette(frame));
    if (without_range(from) == without_range(to)) return hash_planes(frame);
    if (!can_copy_samples(from, to))
        throw Error(Outcome::failed,
                    fmt::format("{} cannot be compared with {}", av_get_pix_fmt_name(from),
                                av_get_pix_fmt_name(format)));
    return hash_planes(*copy_samples(frame, to));
}

bool FrameHashes::matches(std::size_t index, const AVFrame& decoded) const {
    return index < hashes_.size() && hashes_[index] == sample_hash(decoded, format_);
}

}  // namespace weft
