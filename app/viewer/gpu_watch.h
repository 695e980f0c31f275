// Reads a GPU's clock, memory and temperature once a second in a thread of its own, while somebody
// looks.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/device.h"
#include "kernels/gpu_monitor.h"

namespace weft {

class GpuWatch {
 public:
    // `on_change` is called from the thread after each reading; it must not block.
    explicit GpuWatch(Device device, std::function<void()> on_change = {});
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    struct View {
        GpuReading reading;
        std::string why_not;  // a sentence where nothing can be read
    };
    // The last reading; asks for readings in the two seconds to come. Never waits.
    View look();

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
