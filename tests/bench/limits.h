// Limits of this GPU, measured here rather than read off a data sheet: the micro-benchmarks that
// the kernels' designs rest on.
#pragma once

#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "tests/bench/timing.h"

namespace weft::bench {

struct Limit {
    std::string group;  // "copy", "launch", "instructions", "tensor cores"
    std::string name;   // "PRMT"
    std::string unit;   // "GB/s", "µs", "T/s"
    double value = 0;
    double per_clock_sm = 0;  // thread-instructions or multiply-adds; 0 where it makes no sense
    std::string note = {};
};

// The reference for "percent of the limit", measured at the start of every run.
struct Ceilings {
    double copy_bytes_per_second = 0;  // read plus written, 256 MB within the device
    double fma_per_second = 0;         // fp32, every issue slot used
    double sm_hertz = 0;               // under that load
};

// All measure the current device and throw CudaError.
Ceilings measure_ceilings(const Device& device, const Effort& effort);
std::vector<Limit> measure_limits(const Device& device, const Effort& effort);

// StackRunner's CPU cost per frame, for stacks of 1 to 16 steps.
std::vector<Limit> stack_limits(const Device& device, const Effort& effort);

// Parts of the first two functions.
double copy_ceiling(const Effort& effort);
std::vector<Limit> copy_limits(const Effort& effort);
std::vector<Limit> launch_limits(const Device& device, const Effort& effort);
std::vector<Limit> instruction_limits(const Device& device);
std::vector<Limit> tensor_limits(const Device& device);

}  // namespace weft::bench
