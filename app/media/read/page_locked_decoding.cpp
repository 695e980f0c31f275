#include "app/media/read/page_locked_decoding.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "app/media/picture/frame.h"
#include "kernels/device/stream.h"

namespace weft {
namespace {

// Up to libav 59 a decoding thread that needs a buffer waits for the thread that sends packets,
// unless this is set; since then all threads allocate by themselves.
template <class Codec>
void ask_on_decoding_threads(Codec& codec) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    if constexpr (requires { codec.thread_safe_callbacks; }) codec.thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
}

}  // namespace

PageLockedDecoding::PageLockedDecoding(AVCodecContext& codec, Device gpu)
    : LogWatch(codec), gpu_(std::move(gpu)) {
    codec.get_buffer2 = get_buffer;
    ask_on_decoding_threads(codec);
}

int PageLockedDecoding::get_buffer(AVCodecContext* codec, AVFrame* frame, int flags) {
    const bool ours = (codec->codec->capabilities & AV_CODEC_CAP_DR1) != 0 &&
                      is_native_format(static_cast<AVPixelFormat>(frame->format));
    if (!ours) return avcodec_default_get_buffer2(codec, frame, flags);
    // The driver sets errno when nothing is wrong, and the decoder is watched for errno.
    const int before = errno;
    try {
        auto* const watch = static_cast<LogWatch*>(codec->opaque);
        static_cast<PageLockedDecoding*>(watch)->fill(*codec, *frame);
        errno = before;
        return 0;
    } catch (const std::exception&) {
        errno = before;
        return avcodec_default_get_buffer2(codec, frame, flags);
    }
}

// Decoders write whole blocks, beyond the picture's edge.
void PageLockedDecoding::fill(AVCodecContext& codec, AVFrame& frame) {
    int width = frame.width;
    int height = frame.height;
    int alignment[AV_NUM_DATA_POINTERS] = {};  // at most 64: rows are aligned to 256
    avcodec_align_dimensions2(&codec, &width, &height, alignment);
    const std::scoped_lock lock(mutex_);
    use_device(gpu_);
    const AVFramePtr made = memory_.get(static_cast<AVPixelFormat>(frame.format), width, height);
    std::ranges::copy(made->data, std::begin(frame.data));
    std::ranges::copy(made->linesize, std::begin(frame.linesize));
    frame.buf[0] = std::exchange(made->buf[0], nullptr);
    frame.extended_data = frame.data;
}

}  // namespace weft
