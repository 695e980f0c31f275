#include "app/media/picture/pixel_converter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "app/media/picture/frame_format.h"
#include "app/media/picture/palette.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/picture/samples.h"

extern "C" {
#include <libavutil/intreadwrite.h>
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

// A planar format with the same samples that libswscale can read (it cannot read nv16).
AVPixelFormat planar_twin(AVPixelFormat format) {
    for (const AVPixFmtDescriptor* d = nullptr; (d = av_pix_fmt_desc_next(d)) != nullptr;) {
        const AVPixelFormat twin = av_pix_fmt_desc_get_id(d);
        if ((d->flags & AV_PIX_FMT_FLAG_PLANAR) != 0 && twin != format &&
            sws_isSupportedInput(twin) != 0 && can_copy_samples(format, twin))
            return twin;
    }
    return AV_PIX_FMT_NONE;
}

constexpr int kColours = 3;  // the first components; alpha comes after them

struct Scale {
    std::uint32_t from_max, to_max;

    std::uint16_t of(std::uint32_t value) const {
        return static_cast<std::uint16_t>(
            (std::min(value, from_max) * std::uint64_t{to_max} + from_max / 2) / from_max);
    }
};

template <bool BigEndian>
// NOLINTNEXTLINE(readability-non-const-parameter): libav's macros write through it.
void scale_row(std::uint8_t* sample, int count, int step, const Scale& scale) {
    for (int x = 0; x < count; ++x, sample += step) {
        if constexpr (BigEndian)
            AV_WB16(sample, scale.of(AV_RB16(sample)));
        else
            AV_WL16(sample, scale.of(AV_RL16(sample)));
    }
}

void scale_colours(AVFrame& frame, const Scale& scale) {
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    const auto scale_one =
        (desc->flags & AV_PIX_FMT_FLAG_BE) != 0 ? scale_row<true> : scale_row<false>;
    for (int c = 0; c < kColours; ++c) {
        const AVComponentDescriptor& place = desc->comp[c];
        std::uint8_t* row = frame.data[place.plane] + place.offset;
        for (int y = 0; y < frame.height; ++y, row += frame.linesize[place.plane])
            scale_one(row, frame.width, place.step, scale);
    }
}

std::uint32_t white(const AVFrame& frame) {
    return (1U << pixel_traits(static_cast<AVPixelFormat>(frame.format)).depth) - 1;
}

std::uint32_t low_white(const AVFrame& frame) {
    return 255U << (pixel_traits(static_cast<AVPixelFormat>(frame.format)).depth - 8);
}

// Converting between YUV and RGB of more than 8 bits, libswscale treats RGB as 8-bit values with
// fractional bits: its white is 255·2^(depth-8), 0.4 % below 2^depth - 1. (Measured: 5.1; RGB to
// RGB is right.)
bool has_low_white(AVPixelFormat format) {
    const PixelTraits traits = pixel_traits(format);
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(format);
    const bool whole_samples = desc->comp[0].shift == 0 && desc->comp[0].step % 2 == 0 &&
                               desc->comp[1].shift == 0 && desc->comp[2].shift == 0;
    return traits.rgb && !traits.floating && traits.depth > 8 && traits.depth <= 16 &&
           whole_samples;
}

// Converts from libswscale's range to the full one, with rounding. Keeps alpha. `frame` is writable
// and has_low_white() holds for its format.
void raise_white(AVFrame& frame) {
    scale_colours(frame, {low_white(frame), white(frame)});
}

// A copy in libswscale's range, for conversion to YUV. Throws MediaError when memory runs out.
AVFramePtr lower_white(const AVFrame& frame) {
    AVFramePtr lowered = make_frame();
    av_check(av_frame_ref(lowered.get(), &frame), "sharing a frame", "memory");
    av_check(av_frame_make_writable(lowered.get()), "copying a frame", "memory");
    scale_colours(*lowered, {white(frame), low_white(frame)});
    return lowered;
}

// The component of `from` that becomes component `c` of `to`; -1: an alpha that `from` lacks.
int source_component(AVPixelFormat from, AVPixelFormat to, int c) {
    const int last = av_pix_fmt_desc_get(from)->nb_components - 1;
    const PixelTraits traits = pixel_traits(from);
    if (pixel_traits(to).alpha && c == av_pix_fmt_desc_get(to)->nb_components - 1)
        return traits.alpha ? last : -1;
    return traits.gray ? 0 : c;
}

// Writes component `c` of a float frame: the source's component from 0 to 1, or 1 if it is -1.
void fill_floats(const AVFrame& frame, int source, AVFrame& to, int c) {
    const AVPixFmtDescriptor& from = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    const int plane = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(to.format))->comp[c].plane;
    std::array<const std::uint8_t*, 4> data{frame.data[0], frame.data[1], frame.data[2],
                                            frame.data[3]};
    std::vector<std::uint16_t> row(static_cast<std::size_t>(frame.width), 1);
    const int most = source < 0 ? 1 : (1 << from.comp[source].depth) - 1;
    for (int y = 0; y < frame.height; ++y) {
        if (source >= 0)
            av_read_image_line(row.data(), data.data(), frame.linesize, &from, 0, y, source,
                               frame.width, 0);
        auto* out =
            reinterpret_cast<float*>(to.data[plane] + std::ptrdiff_t{y} * to.linesize[plane]);
        std::transform(row.begin(), row.end(), out, [most](std::uint16_t sample) {
            return static_cast<float>(sample) / static_cast<float>(most);
        });
    }
}

// Samples of RGB or gray as floats from 0 to 1.
AVFramePtr floats_of(const AVFrame& frame, AVPixelFormat to) {
    AVFramePtr made = make_frame();
    av_check(av_frame_copy_props(made.get(), &frame), "copying frame properties", "conversion");
    made->format = to;
    made->width = frame.width;
    made->height = frame.height;
    av_check(av_frame_get_buffer(made.get(), 0), "allocating a frame", "conversion");
    const auto format = static_cast<AVPixelFormat>(frame.format);
    for (int c = 0; c < av_pix_fmt_desc_get(to)->nb_components; ++c)
        fill_floats(frame, source_component(format, to, c), *made, c);
    return made;
}

// Several names stand for BT.601.
bool same_coefficients(AVColorSpace a, AVColorSpace b) {
    constexpr int kCount = 4;
    const int* const first = sws_getCoefficients(a);
    return std::equal(first, first + kCount, sws_getCoefficients(b));
}

// to_palette() takes this format only.
constexpr AVPixelFormat kBeforePalette = AV_PIX_FMT_BGRA;

}  // namespace

PixelConverter::PixelConverter(AVPixelFormat target, std::string path, AVColorSpace matrix)
    : target_(target), path_(std::move(path)), matrix_(matrix) {}

AVColorSpace PixelConverter::target_matrix(const AVFrame& frame) const {
    return matrix_ == AVCOL_SPC_UNSPECIFIED ? matrix_of(frame) : matrix_;
}

AVFramePtr PixelConverter::convert(const AVFrame& frame) {
    if (target_ == AV_PIX_FMT_PAL8) return to_palette(*convert_to(frame, kBeforePalette));
    return convert_to(frame, target_);
}

AVFramePtr PixelConverter::convert_to(const AVFrame& frame, AVPixelFormat to) {
    const auto from = static_cast<AVPixelFormat>(frame.format);
    const PixelTraits source = pixel_traits(from);
    const PixelTraits target = pixel_traits(to);
    const bool yuv_from_rgb = source.rgb && !target.rgb;
    const bool full = target.rgb || to != without_range(to) ||  // yuvj
                      (!yuv_from_rgb && is_full_range(frame));
    const bool yuv = !source.rgb && !source.gray && !target.rgb && !target.gray;
    const bool same_matrix = !yuv || same_coefficients(matrix_of(frame), target_matrix(frame));
    const bool same_samples = same_matrix && (target.rgb || full == is_full_range(frame));
    AVFramePtr result;
    if (same_samples && without_range(from) == without_range(to))
        result = share(frame);
    else if (from == AV_PIX_FMT_GBRAPF32 && to == AV_PIX_FMT_GBRPF32)
        result = without_alpha(frame);
    else if (target.floating && !source.floating)
        result = to_floats(frame, to);
    else if (same_samples && can_copy_samples(from, to))
        result = copy_samples(frame, to);
    else if (yuv_from_rgb && !target.gray && has_low_white(from))
        result = scale(*lower_white(frame), to, full);
    else
        result = scale(frame, to, full);
    if (!source.rgb && !source.gray && has_low_white(to)) raise_white(*result);
    result->format = to;
    if (target.rgb) result->colorspace = AVCOL_SPC_RGB;
    if (yuv_from_rgb || !same_matrix) result->colorspace = target_matrix(frame);
    if (full)
        result->color_range = AVCOL_RANGE_JPEG;
    else if (yuv_from_rgb)
        result->color_range = AVCOL_RANGE_MPEG;
    return result;
}

AVFramePtr PixelConverter::share(const AVFrame& frame) const {
    AVFramePtr result = make_frame();
    av_check(av_frame_ref(result.get(), &frame), "sharing a frame", path_);
    return result;
}

// libswscale (5.1) makes 0.996 of white, and rounds RGB on its way to floats.
AVFramePtr PixelConverter::to_floats(const AVFrame& frame, AVPixelFormat to) {
    const PixelTraits source = pixel_traits(static_cast<AVPixelFormat>(frame.format));
    const bool gray = source.gray || pixel_traits(to).gray;
    if (gray ? source.gray && is_full_range(frame) : source.rgb) return floats_of(frame, to);
    const AVPixelFormat color = source.alpha ? AV_PIX_FMT_GBRAP16 : AV_PIX_FMT_GBRP16;
    return floats_of(*convert_to(frame, gray ? AV_PIX_FMT_GRAY16 : color), to);
}

// libswscale cuts floating point to 0…1; the planes of the colours come first.
AVFramePtr PixelConverter::without_alpha(const AVFrame& frame) const {
    AVFramePtr result = share(frame);
    result->data[3] = nullptr;
    result->linesize[3] = 0;
    return result;
}

AVFramePtr PixelConverter::scale(const AVFrame& frame, AVPixelFormat to, bool full) {
    const auto from = static_cast<AVPixelFormat>(frame.format);
    if (sws_isSupportedInput(from) == 0) {
        const AVPixelFormat twin = planar_twin(from);
        if (twin == AV_PIX_FMT_NONE)
            throw MediaError(Outcome::failed, path_ + ": cannot convert its pixel format");
        return scale(*copy_samples(frame, twin), to, full);
    }
    prepare(frame, to, full);
    AVFramePtr result = make_frame();
    av_check(av_frame_copy_props(result.get(), &frame), "copying frame properties", path_);
    result->format = to;
    result->width = frame.width;
    result->height = frame.height;
    av_check(av_frame_get_buffer(result.get(), 0), "allocating a frame", path_);
    av_check(sws_scale(sws_.get(), frame.data, frame.linesize, 0, frame.height, result->data,
                       result->linesize),
             "converting pixels", path_);
    return result;
}

void PixelConverter::prepare(const AVFrame& frame, AVPixelFormat to, bool to_full) {
    const AVColorSpace matrix = matrix_of(frame);
    const ScalerSide from = {frame.width, frame.height,
                             without_range(static_cast<AVPixelFormat>(frame.format)),
                             is_full_range(frame), matrix};
    if (sws_ && from == from_) return;
    sws_ = open_scaler(
        from, {frame.width, frame.height, without_range(to), to_full, target_matrix(frame)}, path_);
    from_ = from;
}

}  // namespace weft
