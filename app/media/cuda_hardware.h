// FFmpeg's handle for a GPU that the program uses already.
#pragma once

#include "app/media/ffmpeg.h"
#include "kernels/device.h"

namespace weft {

// A CUDA device context (AV_HWDEVICE_TYPE_CUDA) in the primary context of the device that is
// current, whose decoders put their work on `stream`; the stream outlives it. Throws MediaError,
// CudaError; std::runtime_error in a CPU-only build.
BufferPtr make_cuda_hardware(StreamView stream);

}  // namespace weft
