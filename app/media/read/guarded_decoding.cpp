#include "app/media/read/guarded_decoding.h"

#include "app/media/demux/frame_limits.h"

namespace weft {

GuardedDecoding::GuardedDecoding(AVCodecContext& codec) : LogWatch(codec), codec_(codec.codec_id) {
    codec.get_buffer2 = get_buffer;
    codec.thread_type = FF_THREAD_SLICE;
}

int GuardedDecoding::get_buffer(AVCodecContext* codec, AVFrame* frame, int flags) {
    auto& guard = static_cast<GuardedDecoding&>(*static_cast<LogWatch*>(codec->opaque));
    const int bytes = av_image_get_buffer_size(static_cast<AVPixelFormat>(frame->format),
                                               frame->width, frame->height, 1);
    if (bytes >= 0 && can_hold(guard.codec_, bytes, guard.packet_bytes_))
        return avcodec_default_get_buffer2(codec, frame, flags);
    guard.width_ = frame->width;
    guard.height_ = frame->height;
    return AVERROR_INVALIDDATA;
}

void GuardedDecoding::check(const std::string& path) const {
    if (width_ == 0) return;
    throw MediaError(ExitCode::damaged,
                     does_not_fit_text(path, codec_, width_, height_, packet_bytes_));
}

}  // namespace weft
