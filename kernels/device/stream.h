// The current device, CUDA streams and the order between them.
#pragma once

#include <memory>

#include "kernels/device/device.h"

// CUDA's own opaque types of events and contexts, so that this header needs no CUDA.
struct CUevent_st;
struct CUctx_st;

namespace weft {

// Makes `device` current for the calling thread. No-op for the CPU.
void use_device(const Device& device);

// For libraries that need the driver's handle: the primary context of the device that is current on
// the calling thread; it stays valid until the program ends. Throws CudaError; std::runtime_error
// in a CPU-only build.
CUctx_st* current_driver_context();

// Owns a non-blocking CUDA stream on the current device.
class Stream {
 public:
    Stream();
    StreamView view() const { return stream_.get(); }
    void synchronize() const;  // blocks until all work on it is done; throws CudaError

 private:
    struct Destroy {
        void operator()(CUstream_st* s) const noexcept;
    };
    std::unique_ptr<CUstream_st, Destroy> stream_;
};

// A point in a stream's work that other streams and the CPU can wait for.
class StreamEvent {
 public:
    StreamEvent();  // on the current device; throws CudaError
    // Records the point after all work on `stream` so far; replaces the previous one. Throws
    // CudaError.
    void record(StreamView stream);
    // Later work on `stream` waits for the point; no wait before the first record().
    void make_wait(StreamView stream) const;
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
