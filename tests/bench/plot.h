// Time against the size of the taps, per kernel, with the roofline.
#pragma once

#include <string>

#include "tests/bench/report.h"

namespace weft::bench {

// An SVG of one panel per series with at least two sizes: cold medians on logarithmic axes, our
// kernels drawn through, peers dashed; grey: a copy of the same bytes at the copy ceiling, and
// dense fp32 taps at the FMA ceiling. Empty panels are left out.
std::string to_svg(const Results& results);

}  // namespace weft::bench
