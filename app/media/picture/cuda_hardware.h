// FFmpeg's handle for a GPU that the program already uses.
#pragma once

#include "app/media/libav/ffmpeg.h"
#include "kernels/device/device.h"

namespace weft {

// A CUDA device context (AV_HWDEVICE_TYPE_CUDA) in the primary context of the current device, whose
// decoders queue their work on `stream`; the stream outlives it. Throws MediaError, CudaError;
// std::runtime_error in a CPU-only build.
BufferPtr make_cuda_hardware(StreamView stream);

}  // namespace weft
