// The exception for a failed CUDA call. Free of CUDA, so that callers can catch it in any build.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

// what(): "failed to allocate 24 MiB on the GPU: out of memory (cudaErrorMemoryAllocation) at
// cuda_memory.cu:31"
class CudaError : public std::runtime_error {
 public:
    CudaError(const std::string& message, int code) : std::runtime_error(message), code_(code) {}

    int code() const { return code_; }  // a cudaError_t

 private:
    int code_;
};

}  // namespace weft
