// Owns an array in device memory. For CUDA sources only.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/image_buffer.h"

namespace weft {

struct ReleaseDevice {
    void operator()(void* p) const noexcept { release_raw(p, Allocation::device); }
};

template <class T>
using DeviceArray = std::unique_ptr<T[], ReleaseDevice>;

// Uninitialised, on the current device; at least one element. Throws CudaError.
template <class T>
DeviceArray<T> device_array(std::size_t count) {
    const std::size_t bytes = (count > 0 ? count : 1) * sizeof(T);
    return DeviceArray<T>(static_cast<T*>(allocate_raw(bytes, Allocation::device)));
}

// A copy of `values` on the current device; blocks until it is complete. Throws CudaError.
template <class T>
DeviceArray<T> upload(const std::vector<T>& values) {
    DeviceArray<T> array = device_array<T>(values.size());
    cuda_check(
        cudaMemcpy(array.get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        "copy a table to the GPU");
    // The call above returns when the values have left `values`, not when they have arrived, and
    // our streams do not wait for the default one.
    cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "wait for a table on the GPU");
    return array;
}

}  // namespace weft
