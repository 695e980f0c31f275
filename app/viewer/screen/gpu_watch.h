// Reads a GPU's clock, memory and temperature every second in its own thread, while the readings
// are viewed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/device/device.h"
#include "kernels/device/gpu_monitor.h"

namespace weft {

class GpuWatch {
 public:
    // `on_change` is called from the thread after each reading; must not block.
    explicit GpuWatch(Device device, std::function<void()> on_change = {});
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    struct View {
        GpuReading reading;
        std::string why_not;  // a sentence if nothing can be read
    };
    // The last reading; keeps readings running for the next two seconds. Never waits.
    View look();

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
