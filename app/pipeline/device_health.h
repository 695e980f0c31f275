// Starts GPUs, and checks whether one still works after an error on it.
#pragma once

#include <span>

#include "kernels/device/device.h"

namespace weft {

// Creates the contexts of the GPUs, one after the other: 0.12 s each on an H200. Blocks. Errors are
// reported when a file uses the GPU.
void start_devices(std::span<const Device> devices) noexcept;

// Returns false after errors that end a GPU's context for good: a kernel's access outside its
// memory, a GPU that fell off the bus. Returns true for the CPU and for a GPU whose memory is full.
// Blocks while the GPU is busy starting up.
bool device_answers(const Device& device) noexcept;

}  // namespace weft
