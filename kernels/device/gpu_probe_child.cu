#include <algorithm>
#include <cstddef>
#include <sstream>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/device/gpu_probe.h"

namespace weft {

namespace {

// Shows that this build has code for a GPU and that the GPU runs it.
__global__ void write_probe_mark(int* mark) {
    *mark = 0x77656674;
}

// Empty when a kernel of this build ran on the current device.
std::string why_unusable() {
    int* mark = nullptr;
    int seen = 0;
    cudaError_t code = cudaMalloc(&mark, sizeof(int));
    if (code == cudaSuccess) {
        write_probe_mark<<<1, 1>>>(mark);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) code = cudaMemcpy(&seen, mark, sizeof(int), cudaMemcpyDeviceToHost);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorUnsupportedPtxVersion)
        return "this build has no code for it";
    if (code != cudaSuccess) return cudaGetErrorString(code);
    return seen == 0x77656674 ? "" : "its memory does not hold what a kernel wrote";
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string why_no_driver(cudaError_t code, int driver) {
    if (driver == 0) return "no NVIDIA driver is loaded";
    if (code == cudaErrorInsufficientDriver)
        return "the NVIDIA driver supports CUDA " + version_text(driver) + ", this build needs " +
               version_text(CUDART_VERSION) + ": update the driver";
    if (code == cudaErrorNoDevice) return "the NVIDIA driver sees no GPU";
    return std::string("the NVIDIA driver fails: ") + cudaGetErrorString(code);
}

// 0 if the driver does not know it.
std::size_t attribute(cudaDeviceAttr which, int ordinal) {
    int value = 0;
    (void)cudaDeviceGetAttribute(&value, which, ordinal);
    return static_cast<std::size_t>(std::max(value, 0));
}

// Memory moves two bits per clock and line of its bus.
std::size_t memory_bytes_per_second(int ordinal) {
    return attribute(cudaDevAttrMemoryClockRate, ordinal) * 1000 *
           attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) * 2 / 8;
}

std::string line_of(int ordinal, int driver) {
    cudaDeviceProp p{};
    cudaError_t code = cudaSetDevice(ordinal);
    if (code == cudaSuccess) code = cudaGetDeviceProperties(&p, ordinal);
    const std::string reason = code != cudaSuccess ? cudaGetErrorString(code) : why_unusable();
    std::ostringstream line;
    if (!reason.empty()) {
        line << "unusable\t" << (code == cudaSuccess ? p.name : "a GPU") << ": " << reason << "\n";
        return line.str();
    }
    line << "gpu\t" << ordinal << "\t" << p.multiProcessorCount << "\t" << p.major << "\t"
         << p.minor << "\t" << p.totalGlobalMem << "\t" << p.l2CacheSize << "\t"
         << attribute(cudaDevAttrClockRate, ordinal) * 1000 << "\t"
         << memory_bytes_per_second(ordinal) << "\t" << version_text(driver) << "\t" << p.name
         << "\n";
    return line.str();
}

}  // namespace

std::string describe_gpus_in_child() {
    int driver = 0;
    int count = 0;
    (void)cudaDriverGetVersion(&driver);
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess) return "none\t" + why_no_driver(code, driver) + "\n";
    std::string text;
    for (int ordinal = 0; ordinal < count; ++ordinal) text += line_of(ordinal, driver);
    return text;
}

bool driver_sees(const std::vector<Device>& gpus) noexcept {
    cudaDeviceProp p{};
    for (const Device& gpu : gpus)
        if (cudaGetDeviceProperties(&p, gpu.ordinal) != cudaSuccess || gpu.name != p.name)
            return false;
    return true;
}

}  // namespace weft
