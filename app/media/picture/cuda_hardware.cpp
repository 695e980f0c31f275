#include "app/media/picture/cuda_hardware.h"

#include "kernels/device/stream.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
}

namespace weft {

// av_hwdevice_ctx_create() would refuse a primary context with flags other than its own (5.1), and
// put all decoders on the legacy stream.
BufferPtr make_cuda_hardware(StreamView stream) {
    BufferPtr hardware(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
    if (!hardware)
        throw MediaError(Outcome::failed, "FFmpeg has no support for CUDA", AVERROR(ENOSYS));
    auto* device = reinterpret_cast<AVHWDeviceContext*>(hardware->data);
    auto* cuda = static_cast<AVCUDADeviceContext*>(device->hwctx);
    cuda->cuda_ctx = current_driver_context();
    cuda->stream = stream;
    av_check(av_hwdevice_ctx_init(hardware.get()), "sharing the GPU with FFmpeg", "CUDA");
    return hardware;
}

}  // namespace weft
