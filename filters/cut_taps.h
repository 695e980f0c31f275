// Taps from a function of the offset, trimmed of outer zeros.
#pragma once

#include <functional>

#include "filters/taps.h"

namespace weft {

// Samples weight(x, y) for |x|, |y| <= kMaxDense / 2 around the anchor and drops outer rows and
// columns of zeros, evenly on both sides so that the anchor stays the centre. A single row or
// column also carries its factors. weight(0, 0) must not be 0.
Taps sampled_taps(const std::function<double(int x, int y)>& weight);

// The same, divided by the sum in double.
Taps normalized_taps(const std::function<double(int x, int y)>& weight);

}  // namespace weft
