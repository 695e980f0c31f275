// How far a kernel's pixels may lie from the reference's before they are called wrong.
#pragma once

#include "kernels/conv_kernel.h"

namespace weft {

// In steps of a sample, for any two rows that keep the arithmetic contract: 0 where sums are exact
// and 1 for other integer samples. f32 samples are taken to lie in -1..1, as pixel formats have
// them: twice the rounding of fp32 sums in any order, and what the row's own arithmetic adds.
double allowed_difference(const ConvProblem& problem, Arithmetic arithmetic);

}  // namespace weft
