// Which processors a run uses: the meaning of --gpu.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/device.h"

namespace weft {

enum class GpuMode { automatic, require, off, ordinals, all };

struct GpuRequest {
    GpuMode mode = GpuMode::automatic;
    std::vector<int> ordinals = {};  // for GpuMode::ordinals: at least one, no duplicates
};

struct DeviceChoice {
    Device device;
    std::string reason;  // why no GPU is usable, if one was looked for; else empty
};

// The same for several GPUs.
struct DevicesChoice {
    std::vector<Device> devices;  // at least one; in the requested order, for `all` the probe's
    std::string reason;           // as DeviceChoice::reason
};

// Parses "auto", "require", "off", "all" or numbers from 0 on separated by commas. Throws
// Error(usage) that lists them or names the duplicate number.
GpuRequest parse_gpu_request(std::string_view text);
// The same for commands that run on one device: throws Error(usage) for several numbers and "all".
GpuRequest parse_one_gpu_request(std::string_view text);

// `off` never touches the driver. Throws Error(no_gpu) with the probe's sentence if a GPU is
// required, and with the usable numbers if a given one is not among them. `automatic` and `require`
// select only the first GPU.
DevicesChoice choose_devices(const GpuRequest& request);
// The same over a probe's result, for tests.
DevicesChoice choose_devices(const GpuRequest& request, const GpuProbe& probe);

// The first of choose_devices().
DeviceChoice choose_device(const GpuRequest& request);

}  // namespace weft
