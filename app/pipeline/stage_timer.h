// Times a stretch of work where it runs: CUDA events on the GPU, the steady clock on the CPU.
#pragma once

#include <chrono>
#include <memory>

#include "kernels/timer.h"

namespace weft {

class StageTimer {
 public:
    // On the current device if `on_gpu`; throws CudaError.
    explicit StageTimer(bool on_gpu) {
        if (on_gpu) gpu_ = std::make_unique<GpuTimer>();
    }

    void start(StreamView stream) {
        if (gpu_)
            gpu_->start(stream);
        else
            started_ = SteadyClock::now();
    }
    void stop(StreamView stream) {
        if (gpu_)
            gpu_->stop(stream);
        else
            elapsed_ = SteadyClock::now() - started_;
    }
    // Between the two calls; on the GPU it waits for the work.
    double seconds() const { return gpu_ ? gpu_->seconds() : elapsed_.count(); }

 private:
    using SteadyClock = std::chrono::steady_clock;
    std::unique_ptr<GpuTimer> gpu_;
    SteadyClock::time_point started_;
    std::chrono::duration<double> elapsed_{0};
};

}  // namespace weft
