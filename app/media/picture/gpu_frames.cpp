#include "app/media/picture/gpu_frames.h"

#include "app/media/picture/cuda_hardware.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace weft {

GpuFrames::GpuFrames(const Device& device)
    : device_(made_current(device)), hardware_(make_cuda_hardware(stream_.view())) {}

// Never passed to a libav function that would use it: only a frame's format is looked up in it.
AVBufferRef& GpuFrames::description(AVPixelFormat format, int width, int height) {
    const auto* known =
        description_ ? reinterpret_cast<AVHWFramesContext*>(description_->data) : nullptr;
    if (known == nullptr || known->sw_format != format || known->width != width ||
        known->height != height)
        description_ = describe_cuda_frames(*hardware_, format, width, height);
    return *description_;
}

AVFramePtr GpuFrames::get(const AVFrame& like, AVPixelFormat format, int width, int height) {
    AVFramePtr frame = memory_.get(format, width, height);
    av_check(av_frame_copy_props(frame.get(), &like), "copying a frame's tags", "memory");
    frame->crop_left = frame->crop_top = frame->crop_right = frame->crop_bottom = 0;
    frame->hw_frames_ctx = av_buffer_ref(&description(format, width, height));
    if (frame->hw_frames_ctx == nullptr) throw_no_memory();
    frame->format = AV_PIX_FMT_CUDA;
    return frame;
}

}  // namespace weft
