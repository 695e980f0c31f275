// The roofline model of a race: operations per byte against operations per second, on logarithmic
// axes. Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model
// for multicore architectures", CACM 52(4), 2009.
#pragma once

#include <span>
#include <vector>

#include "app/viewer/race/log_axis.h"
#include "app/viewer/race/race_rows.h"

namespace weft {

// A kernel: its operations divided by the bytes that it has to move, and its rates at the median
// time, at the 5th and at the 95th percentile.
struct RooflinePoint {
    std::size_t index = 0;  // in the step's kernels
    double intensity = 0;
    double rate = 0;
    double fastest = 0;
    double slowest = 0;
};

struct Roofline {
    LogAxis intensities;
    LogAxis rates;
    DevicePeak peak;
    double copy_bytes = 0;  // per second, of the copy of the same bytes; 0: not measured
    std::vector<RooflinePoint> points;
};

// The measured rows. The axes show every point and the ridges, where memory and arithmetic
// allow the same rate. Without points there is nothing to draw.
Roofline roofline_of(const RaceSnapshot& snapshot, std::span<const RaceRow> rows);

// The highest rate at that intensity below a memory roof and an arithmetic one; a roof of 0 is
// unknown and does not count.
double roof_at(double intensity, double bytes_per_second, double operations_per_second);

}  // namespace weft
