#include "app/media/picture/cuda_frames.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include "kernels/device/stream.h"

namespace weft {

const Device& made_current(const Device& device) {
    use_device(device);
    return device;
}

BufferPtr describe_cuda_frames(AVBufferRef& hardware, AVPixelFormat format, int width, int height) {
    BufferPtr frames(av_hwframe_ctx_alloc(&hardware));
    if (!frames) throw_no_memory();
    auto* context = reinterpret_cast<AVHWFramesContext*>(frames->data);
    context->format = AV_PIX_FMT_CUDA;
    context->sw_format = format;
    context->width = width;
    context->height = height;
    return frames;
}

}  // namespace weft
