// Reads a GPU's clock, memory and temperature four times a second in its own thread, while the
// readings are viewed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "kernels/device/device.h"
#include "kernels/device/gpu_monitor.h"

namespace weft {

class GpuWatch {
 public:
    // `on_change` is called from the thread after each reading; must not block.
    explicit GpuWatch(Device device, std::function<void()> on_change = {});
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    struct View {
        GpuReading reading;
        std::int64_t readings = 0;  // so far, the last one included
        std::string why_not;        // a sentence if nothing can be read
    };
    // The last reading; keeps readings running for the next two seconds. Never waits.
    View view();

 private:
    using Clock = std::chrono::steady_clock;

    bool wanted() const;
    void run(const std::stop_token& stop);

    const Device device_;
    const std::function<void()> on_change_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    Clock::time_point looked_;  // long ago
    View view_;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace weft
