#include "kernels/device/gpu_rates.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kernels/device/device_peak.h"

namespace weft {

namespace {

struct Row {
    int major, minor;
    double fmas, half_products, byte_products;
};

// `fmas`: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions". Products: the
// dense tensor TFLOPS and TOPS of NVIDIA's whitepapers and data sheets (T4, A100, RTX A6000, L40S,
// RTX PRO 6000), divided by 2, multiprocessors and boost clock. Those of Hopper are measured (weft
// bench --suite limits): mma.sync reaches two thirds of the published 2048 and 4096, which need
// wgmma. Datacenter Blackwell has its rates for tcgen05; what mma.sync reaches there is not
// published, and Hopper's rates are assumed.
constexpr std::array kRows = {
    Row{7, 5, 64, 512, 1024},
    Row{8, 0, 64, 1024, 2048},
    Row{8, 6, 128, 512, 1024},
    Row{8, 9, 128, 512, 1024},
    Row{9, 0, kHopperRates.fmas, kHopperRates.half_products, kHopperRates.byte_products},
    Row{10, 0, kHopperRates.fmas, kHopperRates.half_products, kHopperRates.byte_products},
    Row{12, 0, 128, 512, 1024},
};

const Row& row_of(const Device& device) {
    const std::pair capability{device.compute_major, device.compute_minor};
    const auto newer = std::ranges::find_if(kRows, [&](const Row& row) {
        return std::pair{row.major, row.minor} > capability;
    });
    return newer == kRows.begin() ? kRows.front() : *(newer - 1);
}

// The whitepapers of GeForce GPUs halve the rate of fp16 products with fp32 sums.
bool is_geforce(const Device& device) {
    return device.name.find("GeForce") != std::string::npos;
}

double bytes_of(const Device& device) {
    const double clocks =
        static_cast<double>(device.multiprocessors) * static_cast<double>(device.clock_hz);
    if (clocks <= 0 || device.memory_bytes_per_second == 0) return kHopperRates.bytes;
    return static_cast<double>(device.memory_bytes_per_second) / clocks;
}

}  // namespace

GpuRates gpu_rates(const Device& device) {
    const Row& row = row_of(device);
    return {.fmas = row.fmas,
            .half_products = is_geforce(device) ? row.half_products / 2 : row.half_products,
            .byte_products = row.byte_products,
            .bytes = bytes_of(device)};
}

DevicePeak gpu_peak(const Device& gpu) {
    const GpuRates rates = gpu_rates(gpu);
    const double clocks =
        static_cast<double>(gpu.multiprocessors) * static_cast<double>(gpu.clock_hz);
    return {.bytes = static_cast<double>(gpu.memory_bytes_per_second),
            .operations = 2 * rates.fmas * clocks,
            .half_operations = 2 * rates.half_products * clocks};
}

}  // namespace weft
