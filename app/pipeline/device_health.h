// Starts GPUs, and tells whether one still works after something failed on it.
#pragma once

#include <span>

#include "kernels/device.h"

namespace weft {

// Makes the contexts of the GPUs, one after the other: 0.12 s each on an H200. Blocks. What goes
// wrong is told where a file uses the GPU.
void start_devices(std::span<const Device> devices) noexcept;

// False after what ends a GPU's context for good: a kernel's access outside its memory, a GPU that
// fell off the bus. True of the CPU, and of a GPU that is merely full. Blocks while the GPU is busy
// at starting up.
bool device_answers(const Device& device) noexcept;

}  // namespace weft
