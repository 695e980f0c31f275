// How long launches take: medians over replays of CUDA graphs, after nvbench.
#pragma once

#include <functional>
#include <vector>

#include "kernels/device.h"

namespace weft::bench {

// Seconds of one launch over the samples taken.
struct Timing {
    double median = 0;
    double p95 = 0;
    double spread = 0;  // interquartile range over the median
    int samples = 0;
    int launches_per_sample = 0;
    bool graph = true;  // false: launches on a stream, since they cannot be captured
};

struct Effort {
    int samples = 50;       // of each timing, at most
    int least_samples = 5;  // taken even where `seconds` are over
    double seconds = 0.1;   // of each timing
};

// Puts one launch that uses buffer set `set` on the stream.
using Enqueue = std::function<void(std::size_t set, StreamView stream)>;

// Launches rotate over the sets 0 … sets - 1. A sample takes at least 60 µs, so that an event's
// half µs stays under a percent. Throws CudaError.
Timing time_gpu(const Enqueue& enqueue, std::size_t sets, const Effort& effort);

// By the steady clock; `run` returns when it is done.
Timing time_host(const std::function<void()>& run, const Effort& effort);

// Of samples in any order; `launches` each.
Timing summary_of(std::vector<double> seconds, std::size_t launches);

// The medians differ by less than half of the interquartile ranges together.
bool tie(const Timing& a, const Timing& b);

}  // namespace weft::bench
