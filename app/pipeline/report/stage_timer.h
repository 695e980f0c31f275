// Times a section of work where it runs: CUDA events on the GPU, the steady clock on the CPU.
#pragma once

#include <chrono>
#include <memory>

#include "app/pipeline/report/trace.h"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"

namespace weft {

// Maps a point in the GPU's time to the steady clock. The two clocks drift apart: if renewed every
// second, points are within some microseconds of their true time.
class GpuAnchor {
 public:
    GpuAnchor() { set(); }  // on the current device; throws CudaError

    // Blocks for some microseconds if a second has passed. Throws CudaError.
    void renew() {
        if (std::chrono::steady_clock::now() - time_ > std::chrono::seconds(1)) set();
    }
    // Waits for the timer. Throws CudaError.
    TraceTime started(const GpuTimer& timer) const {
        const std::chrono::duration<double> after(timer.seconds_after(point_));
        return time_ + std::chrono::duration_cast<TraceTime::duration>(after);
    }

 private:
    // The stream is empty, so that the GPU passes the point immediately; retries if the thread was
    // preempted meanwhile.
    void set() {
        constexpr int kTries = 5;
        constexpr std::chrono::microseconds kNear(50);
        TraceTime::duration away = kNear;
        for (int k = 0; k < kTries && away >= kNear; ++k) {
            const TraceTime before = std::chrono::steady_clock::now();
            point_.start(stream_.view());
            stream_.synchronize();
            away = (std::chrono::steady_clock::now() - before) / 2;
            time_ = before + away;
        }
    }

    Stream stream_;
    GpuTimer point_;
    TraceTime time_;
};

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
    // The time between the two calls; on the GPU it waits for the work.
    double seconds() const { return gpu_ ? gpu_->seconds() : elapsed_.count(); }
    // When start() was passed; `anchor` belongs to the GPU and is not needed on the CPU.
    TraceTime started(const GpuAnchor* anchor) const {
        return gpu_ ? anchor->started(*gpu_) : started_;
    }

 private:
    using SteadyClock = std::chrono::steady_clock;
    std::unique_ptr<GpuTimer> gpu_;
    SteadyClock::time_point started_;
    std::chrono::duration<double> elapsed_{0};
};

}  // namespace weft
