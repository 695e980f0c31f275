// Which processors a run uses: the meaning of --gpu. Starts GPUs, and checks whether one still
// works after an error on it.
#pragma once

#include <span>
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
    std::vector<Device> devices;  // at least one; in the requested order, for `all` the probe's
    std::string reason;           // why no GPU is usable, if one was looked for; else empty
};

// Parses "auto", "require", "off", "all" or numbers from 0 on separated by commas. Throws
// Error(usage) that lists them or names the duplicate number.
GpuRequest parse_gpu_request(std::string_view text);
// The same for commands that run on one device: throws Error(usage) for several numbers and "all".
GpuRequest parse_one_gpu_request(std::string_view text);

// `off` never touches the driver. Throws Error(no_gpu) with the probe's sentence if a GPU is
// required, and with the usable numbers if a given one is not among them. `automatic` and `require`
// select only the first GPU.
DeviceChoice choose_devices(const GpuRequest& request);
// The same over a probe's result, for tests.
DeviceChoice choose_devices(const GpuRequest& request, const GpuProbe& probe);

// Creates the contexts of the GPUs, one after the other: 0.12 s each on an H200. Blocks. Errors are
// reported when a file uses the GPU.
void start_devices(std::span<const Device> devices) noexcept;

// Returns false after errors that end a GPU's context for good: a kernel's access outside its
// memory, a GPU that fell off the bus. Returns true for the CPU and for a GPU whose memory is full.
// Blocks while the GPU is busy starting up.
bool device_answers(const Device& device) noexcept;

}  // namespace weft
