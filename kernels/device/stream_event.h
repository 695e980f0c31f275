// Order between CUDA streams.
#pragma once

#include <memory>

#include "kernels/device/device.h"

// CUDA's own opaque event type.
struct CUevent_st;

namespace weft {

// A point in a stream's work that other streams and the CPU can wait for.
class StreamEvent {
 public:
    StreamEvent();  // on the current device; throws CudaError
    // Records the point after all work on `stream` so far; replaces the previous one. Throws
    // CudaError.
    void record(StreamView stream);
    // Later work on `stream` waits for the point; no wait before the first record().
    void hold_back(StreamView stream) const;
    // Blocks until the GPU has passed the point, without spinning; Stream::synchronize() keeps a
    // core busy. Throws CudaError.
    void wait() const;

 private:
    struct Destroy {
        void operator()(CUevent_st* e) const noexcept;
    };
    std::unique_ptr<CUevent_st, Destroy> event_;
};

}  // namespace weft
