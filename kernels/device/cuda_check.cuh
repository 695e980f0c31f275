// Every CUDA call of this project goes through cuda_check. For CUDA sources only.
#pragma once

#include <source_location>
#include <string_view>

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_error.h"

namespace weft {

// Throws CudaError unless `code` is cudaSuccess, and clears the runtime's last-error state, so that
// a later check does not report this failure again. `doing` completes "failed to …" for a user:
// "copy an image to the GPU". Sticky errors (a kernel that read out of bounds) stay: every later
// call of the process reports them.
void cuda_check(cudaError_t code, std::string_view doing,
                std::source_location where = std::source_location::current());

}  // namespace weft
