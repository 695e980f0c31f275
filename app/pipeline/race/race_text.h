// Cells of a race's table as text, for the terminal and the window.
#pragma once

#include <string>

#include "app/pipeline/race/race_report.h"

namespace weft {

// "12.3 µs", "4.56 ms".
std::string duration_text(double seconds);
// "12.3" and the unit, or "-" without a value.
std::string number_text(double value, int decimals, const char* unit);
std::string median_text(const Samples& samples);
std::string p95_text(const Samples& samples);
// The largest error in steps of a sample.
std::string error_text(const ImageDifference& error);
// The share of pixels that differ: "1.25 %"; a tiny share is "<0.01 %".
std::string differing_text(const ImageDifference& error);

}  // namespace weft
