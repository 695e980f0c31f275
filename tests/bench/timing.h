// Times launches: medians over replays of CUDA graphs, after nvbench.
#pragma once

#include <functional>

#include "kernels/device/device.h"
#include "tests/bench/summary.h"

namespace weft::bench {

struct Effort {
    int samples = 50;       // maximum per timing
    int least_samples = 5;  // taken even if `seconds` are over
    double seconds = 0.1;   // per timing
};

// Puts one launch that uses buffer set `set` on the stream.
using Enqueue = std::function<void(std::size_t set, StreamView stream)>;

// Launches rotate over the sets 0 … sets - 1. A sample is a graph of at least eight launches and 60
// µs, so that what its events and its start take stays below one percent of it; launches of a
// millisecond and more have a graph each. Throws CudaError.
Timing time_gpu(const Enqueue& enqueue, std::size_t sets, const Effort& effort);

// Measures with the steady clock; `run` returns when it is done.
Timing time_host(const std::function<void()>& run, const Effort& effort);

}  // namespace weft::bench
