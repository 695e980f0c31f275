// The shared memory that resident blocks share. No CUDA; internal to kernels/.
// Source: CUDA C++ Programming Guide, "Compute Capabilities"
#pragma once

#include "kernels/conv_layout.h"

namespace weft {

// Of shared memory each resident block takes 1 KiB more than it asks for, from Ampere on.
constexpr int kSharedBytesOfSystem = 1024;

// Of a multiprocessor. A block may have all of it on Turing, and 1 KiB less from Ampere on.
inline int shared_bytes_of_multiprocessor(const Device& device) {
    return most_shared_bytes(device) + (device.compute_major < 8 ? 0 : kSharedBytesOfSystem);
}

}  // namespace weft
