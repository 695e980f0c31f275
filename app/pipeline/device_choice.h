// Which processors a run uses: the meaning of --gpu.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.h"

namespace weft {

enum class GpuMode { automatic, require, off, ordinals, all };

struct GpuRequest {
    GpuMode mode = GpuMode::automatic;
    std::vector<int> ordinals = {};  // for GpuMode::ordinals: at least one, each once
};

struct DeviceChoice {
    Device device;
    std::string reason;  // why the CPU, when a GPU was looked for and none is usable; else empty
};

// The same for several GPUs.
struct DevicesChoice {
    std::vector<Device> devices;  // at least one; in the order asked for, of `all` the probe's
    std::string reason;           // as DeviceChoice::reason
};

// "auto", "require", "off", "all" or numbers from 0 on with commas between. Throws Error(usage)
// that lists them, or names the number that stands there twice.
GpuRequest parse_gpu_request(std::string_view text);
// The same for what runs on one device: throws Error(usage) for more than one number and "all".
GpuRequest parse_one_gpu_request(std::string_view text);

// `off` never touches the driver. Throws Error(no_gpu) with the probe's sentence where a GPU was
// required, and with the usable numbers where a given one is not among them. `automatic` and
// `require` take the first GPU alone.
DevicesChoice choose_devices(const GpuRequest& request);
// The same over a probe's result, for tests.
DevicesChoice choose_devices(const GpuRequest& request, const GpuProbe& probe);

// The first of choose_devices().
DeviceChoice choose_device(const GpuRequest& request);

}  // namespace weft
