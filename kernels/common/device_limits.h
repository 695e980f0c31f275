// The shared memory that resident blocks share. No CUDA; internal to kernels/.
// Source: CUDA C++ Programming Guide, "Compute Capabilities"
#pragma once

#include "kernels/common/conv_layout.h"

namespace weft {

// From Ampere on, each resident block takes 1 KiB of shared memory more than it requests.
constexpr int kSharedBytesOfSystem = 1024;

// Shared memory of a multiprocessor. A block may have all of it on Turing, and 1 KiB less from
// Ampere on.
inline int shared_bytes_of_multiprocessor(const Device& device) {
    return most_shared_bytes(device) + (device.compute_major < 8 ? 0 : kSharedBytesOfSystem);
}

}  // namespace weft
