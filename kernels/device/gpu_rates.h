// How much a GPU's units do per clock, which decides between two kernels that are bound by
// different units. Internal to kernels/.
#pragma once

#include "kernels/device/device.h"

namespace weft {

// Per multiprocessor and clock.
struct GpuRates {
    double fmas = 0;           // fp32 multiply-adds
    double half_products = 0;  // multiply-adds of mma.sync: fp16 with fp32 sums
    double byte_products = 0;  // and 8-bit integers
    double bytes = 0;          // of the GPU's memory
};

// Those of an H100 80GB HBM3.
inline constexpr GpuRates kHopperRates{
    .fmas = 128, .half_products = 1350, .byte_products = 2700, .bytes = 12.8};

// By compute capability and name. A capability that is not in the table has the rates of the one
// before it; memory of unknown bandwidth counts as the H100's.
GpuRates gpu_rates(const Device& device);

}  // namespace weft
