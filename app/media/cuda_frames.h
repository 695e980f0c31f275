// What decoders' and encoders' frames in a GPU's memory have in common.
#pragma once

#include "app/media/ffmpeg.h"
#include "kernels/device.h"

namespace weft {

// The device itself, now the current one: for members that are made on it. Throws CudaError.
const Device& made_current(const Device& device);

// libav's description (AVHWFramesContext) of CUDA frames with these samples and this size on
// `hardware`, of which it takes a reference; without a pool until av_hwframe_ctx_init(). Throws
// MediaError.
BufferPtr describe_cuda_frames(AVBufferRef& hardware, AVPixelFormat format, int width, int height);

}  // namespace weft
