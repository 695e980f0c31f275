#include "app/media/picture/pixel_converter.h"

#include "app/media/picture/deep_rgb.h"
#include "app/media/picture/palette.h"
#include "app/media/picture/picture_format.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/picture/sample_copier.h"

extern "C" {
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

// The source format of palettes.
constexpr AVPixelFormat kBeforePalette = AV_PIX_FMT_BGRA;

}  // namespace

PixelConverter::PixelConverter(AVPixelFormat target, bool full_range_only, std::string path)
    : target_(target), full_range_only_(full_range_only), path_(std::move(path)) {}

AVFramePtr PixelConverter::convert(const AVFrame& frame) {
    if (target_ == AV_PIX_FMT_PAL8) return to_palette(*convert_to(frame, kBeforePalette));
    return convert_to(frame, target_);
}

AVFramePtr PixelConverter::convert_to(const AVFrame& frame, AVPixelFormat to) {
    const auto from = static_cast<AVPixelFormat>(frame.format);
    const PixelTraits source = pixel_traits(from);
    const PixelTraits target = pixel_traits(to);
    const bool yuv_from_rgb = source.rgb && !target.rgb;
    const bool full = target.rgb || full_range_only_ || (!yuv_from_rgb && is_full_range(frame));
    const bool same_range = target.rgb || full == is_full_range(frame);
    AVFramePtr result;
    if (same_range && without_range(from) == without_range(to))
        result = share(frame);
    else if (same_range && can_copy_samples(from, to))
        result = copy_samples(frame, to);
    else if (yuv_from_rgb && !target.gray && has_low_white(from))
        result = scale(*lower_white(frame), to, full);
    else
        result = scale(frame, to, full);
    if (!source.rgb && !source.gray && has_low_white(to)) raise_white(*result);
    result->format = to;
    if (target.rgb) result->colorspace = AVCOL_SPC_RGB;
    if (yuv_from_rgb) result->colorspace = matrix_of(frame);
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

AVFramePtr PixelConverter::scale(const AVFrame& frame, AVPixelFormat to, bool full) {
    const auto from = static_cast<AVPixelFormat>(frame.format);
    if (sws_isSupportedInput(from) == 0) {
        const AVPixelFormat twin = planar_twin(from);
        if (twin == AV_PIX_FMT_NONE)
            throw MediaError(ExitCode::failed, path_ + ": no way to convert its pixel format");
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
    sws_ =
        open_scaler(from, {frame.width, frame.height, without_range(to), to_full, matrix}, path_);
    from_ = from;
}

}  // namespace weft
