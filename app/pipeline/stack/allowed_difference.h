// How far pixels from two kernels, or two devices, may differ before they are wrong.
#pragma once

#include <string>
#include <vector>

#include "app/pipeline/stack/stack_plan.h"
#include "kernels/conv_kernel.h"

namespace weft {

// Returns, in levels of a sample, how far any two kernels that keep the arithmetic contract differ
// at most: 0 where sums are exact and 1 for other integer samples. f32 samples are assumed to be
// in -1..1, as in pixel formats: twice the rounding of fp32 sums in any order, or of the split sums
// that some devices use for large matrices, plus the error of the kernel's own arithmetic.
double allowed_difference(const ConvProblem& problem, Arithmetic arithmetic);

// The most that a difference of one level in every input sample moves an output sample: |scale|
// Σ|w| for a single tap set, the largest of several for `maximum`, and for `magnitude` the norm of
// the sets' sums over the worst signs of the samples.
double gain(const ConvProblem& problem);

// For a stack: after each of its steps, the largest difference between the results of two devices,
// or of two choices of kernels, that filter the same frames. In levels for integer samples; for f32
// in units of a sample, for sources in -1..1. A step multiplies the difference of the steps before
// it by its gain and adds its own, so that `gaussian=sigma=2,sobel` has 1 and 9. Zeros: bit for
// bit.
std::vector<double> stack_differences(const StackPlan& plan);

// Whether every device and choice of kernels gives the same bits: the last difference is then 0.
bool same_on_every_device(const StackPlan& plan);

// The last of them in words: "bit for bit on every device" or "devices differ by at most 10
// levels".
std::string difference_text(const StackPlan& plan);

}  // namespace weft
