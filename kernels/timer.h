// Times work where it runs: CUDA events on a stream, or the steady clock for host work.
#pragma once

#include <memory>

#include "kernels/device.h"

struct CUevent_st;

namespace weft {

// start() and stop() enqueue on `stream` and do not block; seconds() waits for stop(). Reusable.
class GpuTimer {
 public:
    GpuTimer();  // on the current device; throws CudaError
    void start(StreamView stream);
    void stop(StreamView stream);
    double seconds() const;  // between the two, kernel time only; resolution about half a µs

 private:
    struct Destroy {
        void operator()(CUevent_st* e) const noexcept;
    };
    std::unique_ptr<CUevent_st, Destroy> start_, stop_;
};

}  // namespace weft
