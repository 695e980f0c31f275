#include "app/media/picture/rotation.h"

#include <array>
#include <cmath>
#include <cstring>

#include "app/media/picture/pixel_traits.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

struct PlaneShape {
    int width = 0;
    int height = 0;
    int pixel_bytes = 0;
};

// The plane's size in pixels of whole bytes; nv12's second plane has two-byte pixels.
PlaneShape plane_shape(const AVFrame& frame, int plane) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(format);
    PlaneShape shape;
    for (int c = 0; c < desc->nb_components; ++c)
        if (desc->comp[c].plane == plane) shape.pixel_bytes = desc->comp[c].step;
    const bool chroma = (plane == 1 || plane == 2) && (desc->flags & AV_PIX_FMT_FLAG_RGB) == 0;
    shape.width = chroma ? AV_CEIL_RSHIFT(frame.width, desc->log2_chroma_w) : frame.width;
    shape.height = chroma ? AV_CEIL_RSHIFT(frame.height, desc->log2_chroma_h) : frame.height;
    return shape;
}

template <int Bytes>
void move_pixels(const AVFrame& in, AVFrame& out, int plane, const Turn& way) {
    const PlaneShape to = plane_shape(out, plane);
    for (int y = 0; y < to.height; ++y) {
        std::uint8_t* row = out.data[plane] + static_cast<std::ptrdiff_t>(y) * out.linesize[plane];
        const int v = way.mirror_y ? to.height - 1 - y : y;
        for (int x = 0; x < to.width; ++x) {
            const int u = way.mirror_x ? to.width - 1 - x : x;
            const int source_x = way.transpose ? v : u;
            const int source_y = way.transpose ? u : v;
            std::memcpy(row + x * Bytes,
                        in.data[plane] +
                            static_cast<std::ptrdiff_t>(source_y) * in.linesize[plane] +
                            source_x * Bytes,
                        Bytes);
        }
    }
}

using Move = void (*)(const AVFrame&, AVFrame&, int, const Turn&);

Move mover(int pixel_bytes) {
    switch (pixel_bytes) {
        case 1:
            return move_pixels<1>;
        case 2:
            return move_pixels<2>;
        case 3:
            return move_pixels<3>;
        case 4:
            return move_pixels<4>;
        case 6:
            return move_pixels<6>;
        case 8:
            return move_pixels<8>;
        default:
            throw MediaError(Outcome::failed, "cannot turn pixels of this format");
    }
}

constexpr double kUnit = 1 << 16;

}  // namespace

Turn turn_by(int clockwise_degrees) {
    switch (clockwise_degrees) {
        case 90:
            return {.transpose = true, .mirror_x = true};
        case 180:
            return {.mirror_x = true, .mirror_y = true};
        case 270:
            return {.transpose = true, .mirror_y = true};
        default:
            return {};
    }
}

std::optional<Turn> turn_of(const std::int32_t* m) {
    // A point (x, y) maps to (a x + c y, b x + d y): {a, b, u, c, d, v, …} in 16.16.
    const long a = std::lround(m[0] / kUnit);
    const long b = std::lround(m[1] / kUnit);
    const long c = std::lround(m[3] / kUnit);
    const long d = std::lround(m[4] / kUnit);
    if (b == 0 && c == 0 && a * a == 1 && d * d == 1)
        return Turn{.mirror_x = a < 0, .mirror_y = d < 0};
    if (a == 0 && d == 0 && b * b == 1 && c * c == 1)
        return Turn{.transpose = true, .mirror_x = c < 0, .mirror_y = b < 0};
    return std::nullopt;
}

const char* describe(const Turn& way) {
    if (way == turn_by(90)) return "turned 90 degrees clockwise";
    if (way == turn_by(180)) return "turned 180 degrees";
    if (way == turn_by(270)) return "turned 90 degrees counter-clockwise";
    return way.is_identity() ? "left as it is" : "mirrored";
}

bool can_transpose(AVPixelFormat format) {
    const PixelTraits traits = pixel_traits(format);
    return traits.log2_chroma_w == traits.log2_chroma_h;
}

AVPixelFormat without_subsampling(AVPixelFormat format) {
    const PixelTraits want = pixel_traits(format);
    constexpr std::array kWhole{AV_PIX_FMT_YUV444P,    AV_PIX_FMT_YUV444P9,  AV_PIX_FMT_YUV444P10,
                                AV_PIX_FMT_YUV444P12,  AV_PIX_FMT_YUV444P14, AV_PIX_FMT_YUV444P16,
                                AV_PIX_FMT_YUVA444P,   AV_PIX_FMT_YUVA444P9, AV_PIX_FMT_YUVA444P10,
                                AV_PIX_FMT_YUVA444P12, AV_PIX_FMT_YUVA444P16};
    for (AVPixelFormat candidate : kWhole) {
        const PixelTraits has = pixel_traits(candidate);
        if (has.depth == want.depth && has.alpha == want.alpha) return candidate;
    }
    return AV_PIX_FMT_NONE;
}

AVFramePtr reorient(const AVFrame& frame, const Turn& way) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    if (way.transpose && !can_transpose(format))
        throw MediaError(Outcome::failed, "cannot turn pixels of this format");
    AVFramePtr out = make_frame();
    av_check(av_frame_copy_props(out.get(), &frame), "copying frame properties", "rotation");
    out->format = frame.format;
    out->width = way.transpose ? frame.height : frame.width;
    out->height = way.transpose ? frame.width : frame.height;
    if (way.transpose && frame.sample_aspect_ratio.num != 0)
        out->sample_aspect_ratio = av_inv_q(frame.sample_aspect_ratio);
    av_frame_remove_side_data(out.get(), AV_FRAME_DATA_DISPLAYMATRIX);
    av_check(av_frame_get_buffer(out.get(), 0), "allocating a frame", "rotation");
    const int planes = av_pix_fmt_count_planes(format);
    for (int plane = 0; plane < planes; ++plane)
        mover(plane_shape(frame, plane).pixel_bytes)(frame, *out, plane, way);
    return out;
}

}  // namespace weft
