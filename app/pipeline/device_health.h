// Whether a GPU still works after something failed on it.
#pragma once

#include "kernels/device.h"

namespace weft {

// False after what ends a GPU's context for good: a kernel's access outside its memory, a GPU that
// fell off the bus. True of the CPU, and of a GPU that is merely full. Blocks while the GPU is busy
// at starting up.
bool device_answers(const Device& device) noexcept;

}  // namespace weft
