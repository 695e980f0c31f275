#include "app/media/read/frame_maker.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/video_stream.h"
#include "app/media/libav/undecodable.h"
#include "app/media/picture/pixel_formats.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/picture/rotation.h"
#include "app/media/picture/samples.h"

namespace weft {

namespace {

double seconds_of(std::int64_t pts, AVRational time_base) {
    return static_cast<double>(pts) * av_q2d(time_base);
}

std::string format_name(int format) {
    const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(format));
    return name ? name : "unknown";
}

std::int64_t time_of(const AVFrame& frame) {
    return frame.pts != AV_NOPTS_VALUE ? frame.pts : frame.best_effort_timestamp;
}

// Copies the stream's side data of one kind to a frame that has none of it.
void lift_side_data(const AVStream& stream, AVPacketSideDataType from, AVFrame& frame,
                    AVFrameSideDataType to) {
    std::size_t size = 0;
    const std::uint8_t* data = av_stream_get_side_data(&stream, from, &size);
    if (!data || av_frame_get_side_data(&frame, to)) return;
    AVFrameSideData* made = av_frame_new_side_data(&frame, to, size);
    if (!made) throw_no_memory();
    std::memcpy(made->data, data, size);
}

void copy_matrix(const AVFrame& from, AVFrame& to) {
    const AVFrameSideData& matrix = *av_frame_get_side_data(&from, AV_FRAME_DATA_DISPLAYMATRIX);
    AVFrameSideData* made = av_frame_new_side_data(&to, matrix.type, matrix.size);
    if (!made) throw_no_memory();
    std::memcpy(made->data, matrix.data, matrix.size);
}

// Decoders that return samples above their format's range without flagging the frame: H.264's in
// damaged files. Others are checked only after the first flag, as checking each frame would cost
// some milliseconds at 4K; later frames are predicted from the damaged one.
bool keeps_stray_bits(AVCodecID codec) {
    return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_RAWVIDEO;
}

// Copies the number out: files hold reserved values, and reading one as an enumerator is undefined.
template <class T>
unsigned number_of(const T& tag) {
    static_assert(sizeof(T) == sizeof(unsigned));
    unsigned number = 0;
    std::memcpy(&number, &tag, sizeof number);
    return number;
}

// A tag that the bitstream leaves unspecified is taken from the container. `end` is the first value
// that FFmpeg does not know; a tag from there on counts as unspecified.
template <class T>
void fill_from(T& tag, T unspecified, T end, const T& container) {
    if (number_of(tag) >= number_of(end)) tag = unspecified;
    if (tag == unspecified && number_of(container) < number_of(end)) tag = container;
}

// For 8-bit frames with alpha in their fourth plane.
bool is_opaque(const AVFrame& frame) {
    for (int y = 0; y < frame.height; ++y) {
        const std::uint8_t* const row = frame.data[3] + std::ptrdiff_t{y} * frame.linesize[3];
        if (std::any_of(row, row + frame.width, [](std::uint8_t alpha) { return alpha != 255; }))
            return false;
    }
    return true;
}

// A BMP has no alpha in its palette, so colors that the file lacks are black, not transparent as
// libav leaves them.
void make_palette_opaque(AVFrame& frame, const std::string& path) {
    constexpr std::size_t kColors = 256, kBytes = 4, kAlpha = 3;
    if (frame.format != AV_PIX_FMT_PAL8) return;
    av_check(av_frame_make_writable(&frame), "copying a frame", path);
    for (std::size_t k = 0; k < kColors; ++k) frame.data[1][kBytes * k + kAlpha] = 255;
}

}  // namespace

Frame FrameMaker::make(AVFramePtr decoded) {
    Frame frame;
    frame.av = std::move(decoded);
    damaged_ = damaged_ || (frame.av->flags & AV_FRAME_FLAG_CORRUPT) != 0 ||
               frame.av->decode_error_flags != 0;
    if (stream_.codecpar->codec_id == AV_CODEC_ID_BMP) make_palette_opaque(*frame.av, path_);
    to_native(frame.av);
    if (stream_.codecpar->codec_id == AV_CODEC_ID_MJPEG) drop_alpha_of_cmyk(*frame.av);
    if (damaged_ || keeps_stray_bits(stream_.codecpar->codec_id)) limit_samples(*frame.av);
    mirror(frame.av);
    set_time(frame);
    fill_tags(*frame.av);
    last_pts_ = frame.pts;
    last_duration_ = frame.duration;
    return frame;
}

bool FrameMaker::has_time(const AVFrame& decoded) {
    return time_of(decoded) != AV_NOPTS_VALUE;
}

void FrameMaker::set_times_before(const AVFrame& first, std::vector<AVFramePtr>& earlier) const {
    const AVRational rate =
        stream_.avg_frame_rate.num > 0 ? stream_.avg_frame_rate : AVRational{25, 1};
    auto count = static_cast<std::int64_t>(earlier.size());
    for (const AVFramePtr& frame : earlier)
        frame->pts = time_of(first) - av_rescale_q(count--, av_inv_q(rate), stream_.time_base);
}

void FrameMaker::to_native(AVFramePtr& frame) {
    const AVPixelFormat format = sample_format(*frame);
    const bool first = source_format_ != format;
    source_format_ = format;
    if (is_native_format(format)) return;
    // A stream keeps its alpha once it has shown some.
    if (format == AV_PIX_FMT_PAL8) opaque_palette_ = opaque_palette_ && palette_is_opaque(*frame);
    const AVPixelFormat target = native_target(format, opaque_palette_);
    if (target == AV_PIX_FMT_NONE)
        throw Undecodable(
            fmt::format("{}: pixel format {} cannot be filtered or converted without "
                        "loss to a format that can",
                        path_, format_name(format)));
    if (first)
        notes_.push_back(fmt::format("pixel format {} is converted to {} without loss",
                                     format_name(format), format_name(target)));
    frame = unpack(*frame, target);
}

// libav multiplies the inks of CMYK JPEGs by black, and leaves an opaque alpha in black's place.
void FrameMaker::drop_alpha_of_cmyk(AVFrame& frame) {
    const bool rgb = frame.format == AV_PIX_FMT_GBRAP;
    if ((!rgb && frame.format != AV_PIX_FMT_YUVA444P) || !is_opaque(frame)) return;
    frame.format = rgb ? AV_PIX_FMT_GBRP : AV_PIX_FMT_YUV444P;
    frame.data[3] = nullptr;
    frame.linesize[3] = 0;
    if (!noted_cmyk_) notes_.emplace_back("CMYK is converted without a colour profile");
    noted_cmyk_ = true;
}

// The stream's matrix takes precedence over the frame's, which is EXIF's or an H.264 message.
void FrameMaker::mirror(AVFramePtr& frame) {
    if (in_gpu_memory(*frame)) return;
    const bool by_stream =
        av_stream_get_side_data(&stream_, AV_PKT_DATA_DISPLAYMATRIX, nullptr) != nullptr;
    if (by_stream ? !mirror_ : !take_mirroring(*frame)) return;
    if (!noted_mirror_)
        notes_.emplace_back("the pixels are mirrored because the display matrix mirrors");
    noted_mirror_ = true;
    AVFramePtr mirrored = reorient(*frame, {.mirror_x = true});
    if (!by_stream) copy_matrix(*frame, *mirrored);
    frame = std::move(mirrored);
}

void FrameMaker::set_time(Frame& frame) {
    const AVFrame& av = *frame.av;
    frame.duration = std::max<std::int64_t>(frame_duration(av), 0);
    frame.pts = time_of(av);
    if (frame.pts == AV_NOPTS_VALUE)
        frame.pts = last_pts_ ? *last_pts_ + std::max<std::int64_t>(last_duration_, 1) : 0;
    if (last_pts_ && frame.pts <= *last_pts_) {
        if (!noted_order_)
            notes_.push_back(fmt::format(
                "timestamps do not increase at {:.3f} s; such frames are shown one tick later",
                seconds_of(frame.pts, stream_.time_base)));
        noted_order_ = true;
        frame.pts = *last_pts_ + 1;
    }
    frame.av->pts = frame.pts;
}

void FrameMaker::fill_tags(AVFrame& frame) const {
    const AVCodecParameters& codec = *stream_.codecpar;
    // libav flags Adam7, an order of the pixels in the file, like fields.
    if (codec.codec_id == AV_CODEC_ID_PNG || codec.codec_id == AV_CODEC_ID_APNG)
        frame.interlaced_frame = 0;
    fill_from(frame.color_range, AVCOL_RANGE_UNSPECIFIED, AVCOL_RANGE_NB, codec.color_range);
    fill_from(frame.colorspace, AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_NB, codec.color_space);
    // TIFF 6.0, section 21, by default, and the sYCC of JPEG 2000 pictures (ITU-T T.800, I.5.3.3),
    // but not of films. libav leaves both out, and untagged YUV is limited range.
    const PixelTraits traits = pixel_traits(sample_format(frame));
    const auto is_picture = [&] {
        return std::string_view(context_.iformat->name).ends_with("pipe");
    };
    const bool full = codec.codec_id == AV_CODEC_ID_TIFF ||
                      (codec.codec_id == AV_CODEC_ID_JPEG2000 && is_picture());
    if (full && !traits.rgb && !traits.gray) {
        fill_from(frame.color_range, AVCOL_RANGE_UNSPECIFIED, AVCOL_RANGE_NB, AVCOL_RANGE_JPEG);
        fill_from(frame.colorspace, AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_NB, AVCOL_SPC_BT470BG);
    }
    fill_from(frame.color_primaries, AVCOL_PRI_UNSPECIFIED, AVCOL_PRI_NB, codec.color_primaries);
    fill_from(frame.color_trc, AVCOL_TRC_UNSPECIFIED, AVCOL_TRC_NB, codec.color_trc);
    fill_from(frame.chroma_location, AVCHROMA_LOC_UNSPECIFIED, AVCHROMA_LOC_NB,
              codec.chroma_location);
    frame.sample_aspect_ratio = av_guess_sample_aspect_ratio(&context_, &stream_, &frame);
    if (last_pts_) return;
    lift_side_data(stream_, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, frame,
                   AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
    lift_side_data(stream_, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, frame,
                   AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
}

}  // namespace weft
