// Tables and JSON of a benchmark run.
#pragma once

#include <string>
#include <vector>

#include "kernels/device.h"
#include "tests/bench/measure.h"

namespace weft::bench {

struct RunInfo {
    Device device;
    std::string clocks;  // "SM 1980 MHz, memory 3201 MHz" under load, or empty
    std::string date;    // ISO, UTC
    std::string commit;  // as given on the command line
};

// What nvidia-smi says now; empty where it is missing.
std::string gpu_clocks(const Device& device);
std::string date_now();

// Both include, for every row: times in µs, GB/s, the time of a copy over the row's, and the time
// of `direct` over the row's.
std::string to_text(const RunInfo& run, const std::vector<Measurement>& all, bool markdown);
std::string to_json(const RunInfo& run, const std::vector<Measurement>& all);

}  // namespace weft::bench
