// Order between CUDA streams.
#pragma once

#include <memory>

#include "kernels/device.h"

// CUDA's own opaque event type.
struct CUevent_st;

namespace weft {

// A point in a stream's work that other streams and the CPU can wait for.
class StreamEvent {
 public:
    StreamEvent();  // on the current device; throws CudaError
    // Behind all that was put on `stream` so far; forgets the point before. Throws CudaError.
    void record(StreamView stream);
    // What comes on `stream` from now on waits for the point; no wait before the first record().
    void hold_back(StreamView stream) const;
    // Blocks until the GPU has passed the point, asleep: a wait in Stream::synchronize() keeps a
    // core busy. Throws CudaError.
    void wait() const;

 private:
    struct Destroy {
        void operator()(CUevent_st* e) const noexcept;
    };
    std::unique_ptr<CUevent_st, Destroy> event_;
};

}  // namespace weft
