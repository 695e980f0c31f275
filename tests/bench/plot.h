// Time against the size of the taps, per kernel, with the roofline.
#pragma once

#include <string>

#include "tests/bench/report.h"

namespace weft::bench {

// An SVG with one panel per series of at least two sizes: cold medians on logarithmic axes, our
// kernels as solid lines, peers dashed; grey: a copy of the same bytes at the copy ceiling, and
// dense fp32 taps at the FMA ceiling. Empty panels are left out.
std::string to_svg(const Results& results);

}  // namespace weft::bench
