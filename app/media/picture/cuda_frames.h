// Shared parts of decoders' and encoders' frames in GPU memory.
#pragma once

#include "app/media/libav/ffmpeg.h"
#include "kernels/device/device.h"

namespace weft {

// Returns the device after making it current, for members that are created on it. Throws CudaError.
const Device& made_current(const Device& device);

// libav's description (AVHWFramesContext) of CUDA frames of this sample format and size on
// `hardware`, of which it takes a reference; has no pool until av_hwframe_ctx_init(). Throws
// MediaError.
BufferPtr describe_cuda_frames(AVBufferRef& hardware, AVPixelFormat format, int width, int height);

}  // namespace weft
