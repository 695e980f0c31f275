// Launches of kernels that may begin before the preceding kernel has ended. For CUDA sources only.
#pragma once

#include <cstddef>
#include <string_view>

#include <cuda_runtime.h>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/device.h"

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

struct LaunchShape {
    unsigned blocks = 1;
    unsigned splits = 1;  // blockIdx.y
    dim3 threads;
    int shared_bytes = 0;
    bool early = false;  // the kernel calls wait_for_predecessors(): see early_launch.cuh
};

// Whether a kernel that waits for its predecessors was compiled for GPUs that start it early.
template <class Args>
bool can_start_early(void (*kernel)(Args)) {
    cudaFuncAttributes attributes{};
    cuda_check(cudaFuncGetAttributes(&attributes, kernel), "look at a kernel's architecture");
    return attributes.ptxVersion >= 90;
}

// Blocks that a multiprocessor of the current device has room for; 0 if one does not fit.
template <class Args>
int resident_blocks(void (*kernel)(Args), dim3 threads, int shared_bytes) {
    int blocks = 0;
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                   &blocks, kernel, static_cast<int>(threads.x * threads.y), shared_bytes),
               "ask how many blocks fit on a multiprocessor");
    return blocks;
}

// Lets a kernel that waits for its predecessors start early if its blocks leave hardly a place free
// on the GPU. They take the places that are free, so that multiprocessors would have unequal
// shares: on an H100 tensor_int8 takes 14.1 µs instead of 10.7 at 3×3, where 510 blocks have 924
// places, and 14.6 instead of 15.7 at 9×9, where they have 528.
template <class Args>
void start_early_if_full(void (*kernel)(Args), const Device& device, LaunchShape& shape) {
    const long long blocks = static_cast<long long>(shape.blocks) * shape.splits;
    const long long places = static_cast<long long>(device.multiprocessors) *
                             resident_blocks(kernel, shape.threads, shape.shared_bytes);
    shape.early = can_start_early(kernel) && 10 * blocks >= 9 * places;
}

// `doing` as for cuda_check.
template <class Args>
void launch(void (*kernel)(Args), const LaunchShape& shape, cudaStream_t stream, const Args& args,
            std::string_view doing) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.blocks, shape.splits);
    config.blockDim = shape.threads;
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = shape.early ? 1 : 0;
    cuda_check(cudaLaunchKernelEx(&config, kernel, args), doing);
}

}  // namespace weft
