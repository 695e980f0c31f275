// GPU status from NVML, loaded on first use: neither the build nor the program requires it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/device.h"

namespace weft {

// Values that a driver does not report stay empty.
struct GpuReading {
    std::optional<unsigned> clock_mhz;  // multiprocessor clock
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

    // Empty, or a sentence that explains why nothing can be read.
    const std::string& why_not() const { return why_not_; }

    // Queries the driver: milliseconds, more while it is busy.
    GpuReading read() const;

 private:
    void* handle_ = nullptr;  // NVML's
    std::string why_not_;
};

// "0000:9B:00.0", NVML's name of the device, independent of CUDA_VISIBLE_DEVICES. Throws CudaError;
// std::runtime_error in a CPU-only build.
std::string pci_bus_id(const Device& device);

}  // namespace weft
