// The processors that kernels run on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

// CUDA's own opaque stream type, so that this header needs no CUDA.
struct CUstream_st;

namespace weft {

// A CUDA stream, not owned; null is the legacy default stream. Ignored by host kernels.
using StreamView = CUstream_st*;

struct Device {
    int ordinal = -1;         // CUDA ordinal after CUDA_VISIBLE_DEVICES; -1: the CPU
    std::string name;         // "NVIDIA H200", or the CPU's model name
    int multiprocessors = 0;  // of the CPU: the cores that this process may use
    int compute_major = 0;
    int compute_minor = 0;
    std::size_t memory_bytes = 0;
    std::size_t l2_bytes = 0;
    std::size_t clock_hz = 0;                 // highest of the multiprocessors; 0: unknown
    std::size_t memory_bytes_per_second = 0;  // by its clock and bus; 0: unknown
    std::string driver_version;               // "13.0"; empty for the CPU
    int vector_bytes = 0;  // of the CPU: 64 with AVX-512 and VNNI, 32 with AVX2 and FMA, or else 16

    bool is_gpu() const { return ordinal >= 0; }
};

// The CPU; never touches the driver.
Device cpu_device();

struct GpuProbe {
    std::vector<Device> devices;  // usable ones: the build has kernels or PTX for them
    std::string why_none;  // a sentence when `devices` is empty: "no NVIDIA driver is loaded"
};

// Looks for GPUs in a child process, so that a broken driver cannot hang or kill this one.
// Costs about half a second with a GPU. Once per process, and not after it has used CUDA itself.
// Never throws.
GpuProbe probe_gpus();

// Whether this process's driver reports GPUs with these ordinals and names. Initializes the driver
// in the process, but creates no context.
bool driver_sees(const std::vector<Device>& gpus) noexcept;

}  // namespace weft
