#include "app/media/picture/sample_range.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstdint>
#include <span>

namespace weft {

namespace {

using Row = std::span<std::uint16_t>;

// Calls `visit` with each row of each plane.
template <class Visit>
void for_each_row(AVFrame& frame, const AVPixFmtDescriptor& format, Visit visit) {
    const auto kind = static_cast<AVPixelFormat>(frame.format);
    for (int plane = 0; plane < av_pix_fmt_count_planes(kind); ++plane) {
        const bool chroma = plane == 1 || plane == 2;
        const int shift = chroma ? format.log2_chroma_h : 0;
        const int rows = AV_CEIL_RSHIFT(frame.height, shift);
        const int bytes = av_image_get_linesize(kind, frame.width, plane);
        if (bytes <= 0) continue;
        for (int y = 0; y < rows; ++y) {
            std::uint8_t* row = frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane];
            visit(Row(reinterpret_cast<std::uint16_t*>(row), static_cast<std::size_t>(bytes) / 2));
        }
    }
}

}  // namespace

void limit_samples(AVFrame& frame) {
    const AVPixFmtDescriptor* format =
        av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    constexpr std::uint64_t kNotPlain =
        AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BE;
    if (!format || (format->flags & kNotPlain) != 0) return;
    const int depth = format->comp[0].depth;
    if (depth < 9 || depth > 15 || format->comp[0].shift != 0) return;

    unsigned bits = 0;
    for_each_row(frame, *format, [&](Row row) {
        for (const std::uint16_t sample : row) bits |= sample;
    });
    if (bits >> static_cast<unsigned>(depth) == 0) return;
    av_check(av_frame_make_writable(&frame), "copying a frame", "sample range");
    const auto most = static_cast<std::uint16_t>((1U << static_cast<unsigned>(depth)) - 1);
    for_each_row(frame, *format, [&](Row row) {
        for (std::uint16_t& sample : row) sample = std::min(sample, most);
    });
}

}  // namespace weft
