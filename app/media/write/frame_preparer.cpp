#include "app/media/write/frame_preparer.h"

#include <fmt/format.h>

#include "app/media/picture/pixel_traits.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {

AVPixelFormat turned_format(AVPixelFormat format, const Turn& turn) {
    if (!turn.transpose || can_transpose(format)) return format;
    return without_subsampling(format);
}

std::string preparation(AVPixelFormat format, const Turn& turn, AVPixelFormat to) {
    if (!turn.is_identity()) return describe(turn);
    if (without_range(format) == without_range(to)) return "";
    return fmt::format("converted from {} to {}", av_get_pix_fmt_name(format),
                       av_get_pix_fmt_name(to));
}

namespace {

// JFIF and WebP have no place for another one.
AVColorSpace only_matrix(const AVCodec& encoder) {
    const bool fixed = encoder.id == AV_CODEC_ID_MJPEG || encoder.id == AV_CODEC_ID_WEBP;
    return fixed ? AVCOL_SPC_BT470BG : AVCOL_SPC_UNSPECIFIED;
}

}  // namespace

FramePreparer::FramePreparer(const Turn& turn, const VideoChoice& choice, std::string path)
    : turn_(turn),
      path_(std::move(path)),
      converter_(choice.format, path_, only_matrix(*choice.encoder)) {}

AVFramePtr FramePreparer::prepare(const AVFrame& frame) {
    if (turn_.is_identity()) return converter_.convert(frame);
    return converter_.convert(*turn(frame));
}

AVFramePtr FramePreparer::turn(const AVFrame& frame) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixelFormat whole = turned_format(format, turn_);
    if (whole == format) return reorient(frame, turn_);
    if (whole == AV_PIX_FMT_NONE)
        throw MediaError(Outcome::failed, path_ + ": cannot turn pixels of this format");
    if (!before_turning_) before_turning_ = std::make_unique<PixelConverter>(whole, path_);
    return reorient(*before_turning_->convert(frame), turn_);
}

}  // namespace weft
