// Common GPUs as the probe describes them: the planner and the layouts are tested without the
// hardware.
#pragma once

#include <array>

#include "kernels/device/device.h"

namespace weft::test {

// `shared_bytes`: the maximum per block (CUDA C++ Programming Guide, "Compute Capabilities").
struct KnownGpu {
    const char* name;
    int compute_major, compute_minor;
    int multiprocessors;
    int shared_bytes;
};

inline constexpr std::array<KnownGpu, 9> kKnownGpus = {{
    {"T4", 7, 5, 40, 64 * 1024},
    {"A100", 8, 0, 108, 163 * 1024},
    {"RTX 3060", 8, 6, 28, 99 * 1024},
    {"RTX 4070", 8, 9, 46, 99 * 1024},
    {"RTX 4090", 8, 9, 128, 99 * 1024},
    {"RTX 5090", 12, 0, 170, 99 * 1024},
    {"H100", 9, 0, 132, 227 * 1024},
    {"H200", 9, 0, 132, 227 * 1024},
    {"B200", 10, 0, 148, 227 * 1024},
}};

inline Device device_of(const KnownGpu& gpu) {
    Device device;
    device.ordinal = 0;
    device.name = gpu.name;
    device.multiprocessors = gpu.multiprocessors;
    device.compute_major = gpu.compute_major;
    device.compute_minor = gpu.compute_minor;
    return device;
}

// The GPU with the least shared memory per block.
inline Device t4() {
    return device_of(kKnownGpus[0]);
}

inline Device rtx_3060() {
    return device_of(kKnownGpus[2]);
}

inline Device h200() {
    return device_of(kKnownGpus[7]);
}

}  // namespace weft::test
