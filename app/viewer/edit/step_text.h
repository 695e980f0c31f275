// A step of the stack as the window names it.
#pragma once

#include <string>

#include "filters/stack.h"

namespace weft {

// The name that -vf takes as a heading: "Frame difference", "LoG", "Sobel (weft)".
std::string heading_of(const FilterDef& filter);

// The parameters of a folded step: the first number, which is the strength of most filters, and
// those that differ from their default. "Sigma 2 px, Channels y".
std::string summary_of(const Step& step);

}  // namespace weft
