// The arithmetic that the CPU's cores can do.
#pragma once

#include "kernels/device/device_peak.h"

namespace weft {

// Measures the multiply-adds of all cores that the process may use, with the widest vectors of the
// device that kernels use: some milliseconds. `bytes` is left 0.
DevicePeak measure_cpu_operations(const Device& cpu);

}  // namespace weft
