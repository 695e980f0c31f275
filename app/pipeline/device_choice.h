// Which processor a run uses: the meaning of --gpu.
#pragma once

#include <string>
#include <string_view>

#include "kernels/device.h"

namespace weft {

enum class GpuMode { automatic, require, off, ordinal };

struct GpuRequest {
    GpuMode mode = GpuMode::automatic;
    int ordinal = 0;  // for GpuMode::ordinal
};

struct DeviceChoice {
    Device device;
    std::string reason;  // why the CPU, when a GPU was looked for and none is usable; else empty
};

// "auto", "require", "off" or a number from 0 on. Throws Error(usage) that lists them.
GpuRequest parse_gpu_request(std::string_view text);

// `off` never touches the driver. Throws Error(no_gpu) with the probe's sentence where a GPU was
// required, and with the usable numbers where a given one is not among them.
DeviceChoice choose_device(const GpuRequest& request);
// The same over a probe's result, for tests.
DeviceChoice choose_device(const GpuRequest& request, const GpuProbe& probe);

}  // namespace weft
