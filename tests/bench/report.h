// A run's results as text, Markdown, CSV and JSON.
#pragma once

#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "tests/bench/limits.h"
#include "tests/bench/measure.h"

namespace weft::bench {

struct Results {
    Device device;
    std::string suite;
    std::string clocks;  // "SM 1980 MHz, memory 3201 MHz" under load, or empty
    std::string date;    // ISO, UTC
    std::string commit;  // as given on the command line
    Ceilings ceilings;   // zero without a GPU
    std::vector<Limit> limits;
    std::vector<Measurement> rows;
};

// Current clocks from nvidia-smi; empty if it is missing.
std::string gpu_clocks(const Device& device);
std::string date_now();

// Every row has times in µs, spread, GB/s, times a copy of the same bytes, percent of the copy and
// of the FMA ceiling, and the ratio to the fastest of the case ("=": within the noise).
std::string to_text(const Results& results);
std::string to_markdown(const Results& results);
std::string to_csv(const Results& results);
std::string to_json(const Results& results);

// Reads the output of to_json, which leaves out some of the device's numbers. Throws
// std::runtime_error.
Results from_json(const std::string& text);

// Derived numbers of a row, as the formats print them.
struct Standing {
    double gb_per_s = 0;
    double times_copy = 0;     // its time over that of a copy of the same bytes; 0: no copy
    double of_copy = 0;        // share of the copy ceiling that its bytes reach
    double of_fma = 0;         // share of the FMA ceiling that dense fp32 taps reach
    double times_fastest = 0;  // its time over that of the case's fastest
    bool tie = false;          // with the fastest, and not itself
};
Standing standing(const Results& results, const Measurement& m);

}  // namespace weft::bench
