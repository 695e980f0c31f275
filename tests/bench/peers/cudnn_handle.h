// The status check, the handle and the stream that cuDNN's legacy functions and its graph API
// share. They are compiled only if cudnn.h was found.
#pragma once

#include <cudnn.h>

#include "kernels/device/device.h"

namespace weft::bench {

// Throws std::runtime_error: "cuDNN failed to <doing>: " and its reason.
void cudnn_check(cudnnStatus_t status, const char* doing);

// One per process: creating one is slow.
cudnnHandle_t cudnn_handle();

// Work that follows is put on this stream.
void set_cudnn_stream(StreamView stream);

}  // namespace weft::bench
