// The most that a device can do, whatever runs on it.
#pragma once

#include "kernels/device/device.h"

namespace weft {

// Per second; 0 where unknown. An operation is a multiplication or an addition: a multiply-add is
// two of them.
struct DevicePeak {
    double bytes = 0;            // read from memory plus written
    double operations = 0;       // fp32
    double half_operations = 0;  // fp16 on tensor cores; 16-bit integers on a CPU
};

// By the GPU's clocks and the rates of its architecture (gpu_rates.cpp).
DevicePeak gpu_peak(const Device& gpu);

}  // namespace weft
