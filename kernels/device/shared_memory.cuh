// The limit of shared memory that blocks may request. For CUDA sources only.
#pragma once

#include <cuda_runtime.h>

#include "kernels/device/cuda_check.cuh"

namespace weft {

// Lets blocks of `kernel` have as much as the current device gives. The limit belongs to the
// kernel, not to a launch: set for one problem, it would break an earlier one that needs more.
template <class Args>
void allow_all_shared_memory(void (*kernel)(Args)) {
    int device = 0;
    int most = 0;
    cudaFuncAttributes attributes{};
    cuda_check(cudaGetDevice(&device), "ask for the current GPU");
    cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
               "ask for the shared memory of a block");
    cuda_check(cudaFuncGetAttributes(&attributes, kernel), "look at a kernel's shared memory");
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    most - static_cast<int>(attributes.sharedSizeBytes)),
               "let blocks have all shared memory");
}

}  // namespace weft
