// Statistics of timing samples.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::bench {

// Seconds per launch over the samples taken.
struct Timing {
    double median = 0;
    double p95 = 0;
    double spread = 0;  // interquartile range over the median
    int samples = 0;
    int launches_per_sample = 0;
    bool graph = true;  // false: launches on a stream, since they cannot be captured
};

// Summarises samples in any order, `launches` each.
Timing summary_of(std::vector<double> seconds, std::size_t launches);

// The medians differ by less than half of the interquartile ranges together.
bool tie(const Timing& a, const Timing& b);

}  // namespace weft::bench
