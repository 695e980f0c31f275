// Common GPUs as the probe describes them: the planner and the layouts are tested without the
// hardware.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/device/device.h"

namespace weft::test {

// `shared_bytes`: the maximum per block (CUDA C++ Programming Guide, "Compute Capabilities").
struct KnownGpu {
    const char* name;
    int compute_major, compute_minor;
    int multiprocessors;
    int shared_bytes;
    int clock_mhz;        // boost, of the data sheet
    int memory_gb_per_s;  // of the data sheet
};

inline constexpr std::array<KnownGpu, 9> kKnownGpus = {{
    {"T4", 7, 5, 40, 64 * 1024, 1590, 320},
    {"A100", 8, 0, 108, 163 * 1024, 1410, 1555},
    {"GeForce RTX 3060", 8, 6, 28, 99 * 1024, 1777, 360},
    {"GeForce RTX 4070", 8, 9, 46, 99 * 1024, 2475, 504},
    {"GeForce RTX 4090", 8, 9, 128, 99 * 1024, 2520, 1008},
    {"GeForce RTX 5090", 12, 0, 170, 99 * 1024, 2407, 1792},
    {"H100", 9, 0, 132, 227 * 1024, 1980, 3352},
    {"H200", 9, 0, 132, 227 * 1024, 1980, 4800},
    {"B200", 10, 0, 148, 227 * 1024, 1965, 8000},
}};

inline Device device_of(const KnownGpu& gpu) {
    Device device;
    device.ordinal = 0;
    device.name = gpu.name;
    device.multiprocessors = gpu.multiprocessors;
    device.compute_major = gpu.compute_major;
    device.compute_minor = gpu.compute_minor;
    device.clock_hz = std::size_t{1000000} * static_cast<std::size_t>(gpu.clock_mhz);
    device.memory_bytes_per_second =
        std::size_t{1000000000} * static_cast<std::size_t>(gpu.memory_gb_per_s);
    return device;
}

// The GPU with the least shared memory per block.
inline Device t4() {
    return device_of(kKnownGpus[0]);
}

inline Device rtx_3060() {
    return device_of(kKnownGpus[2]);
}

inline Device h100() {
    return device_of(kKnownGpus[6]);
}

inline Device h200() {
    return device_of(kKnownGpus[7]);
}

}  // namespace weft::test
