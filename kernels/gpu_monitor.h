// How a GPU is doing, by NVML, loaded when it is first needed: neither the build nor the program
// asks for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.h"

namespace weft {

// What a driver does not tell stays empty.
struct GpuReading {
    std::optional<unsigned> clock_mhz;  // of the multiprocessors
    std::optional<unsigned> most_clock_mhz;
    std::optional<unsigned> memory_clock_mhz;
    std::optional<unsigned> temperature_celsius;
    std::optional<double> power_watts;
    std::optional<double> power_limit_watts;
    std::optional<std::size_t> memory_used_bytes;  // by all processes
    std::optional<std::size_t> memory_bytes;
    std::vector<std::string_view> slowed_by;  // why the clock is lower: "power limit"; mostly none
};

// Never throws. For one thread at a time.
class GpuMonitor {
 public:
    // Finds the device; takes up to a second, the first time.
    explicit GpuMonitor(const Device& device);

    // Empty, or a sentence why nothing can be read.
    const std::string& why_not() const { return why_not_; }

    // Asks the driver: milliseconds, more while it is busy.
    GpuReading read() const;

 private:
    void* handle_ = nullptr;  // NVML's
    std::string why_not_;
};

// "0000:9B:00.0", by which NVML knows the device, whatever CUDA_VISIBLE_DEVICES says. Throws
// CudaError; std::runtime_error in a CPU-only build.
std::string pci_bus_id(const Device& device);

}  // namespace weft
