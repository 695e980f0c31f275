// Times work where it runs: CUDA events on a stream, or the steady clock for host work.
#pragma once

#include <memory>

#include "kernels/device/device.h"

struct CUevent_st;

namespace weft {

// start() and stop() enqueue on `stream` and do not block; seconds() waits for stop(). Reusable.
// Recorded in a LaunchGraph, they time each replay; seconds() is then valid after a wait for the
// stream.
class GpuTimer {
 public:
    GpuTimer();  // on the current device; throws CudaError
    void start(StreamView stream);
    void stop(StreamView stream);
    double seconds() const;  // between the two, kernel time only; resolution about half a µs
    // From the start() of `earlier` to that of this one, on any two streams of a device; negative
    // if reversed. Waits for this one's. CUDA counts in single precision: to half a µs over some
    // seconds.
    double seconds_after(const GpuTimer& earlier) const;

 private:
    struct Destroy {
        void operator()(CUevent_st* e) const noexcept;
    };
    std::unique_ptr<CUevent_st, Destroy> start_, stop_;
};

// Holds back work enqueued on a stream until it is released, so that work between two timer calls
// runs without the gaps of the CPU's launches. Releases itself after a tenth of a second: a call
// that waits for the stream meanwhile costs that time and no more.
class StreamBlocker {
 public:
    explicit StreamBlocker(StreamView stream);  // throws CudaError
    ~StreamBlocker() { release(); }
    StreamBlocker(const StreamBlocker&) = delete;
    StreamBlocker& operator=(const StreamBlocker&) = delete;

    void release() noexcept;

 private:
    struct Latch;
    std::shared_ptr<Latch> latch_;  // shared with the stream, which may outlive this
};

}  // namespace weft
