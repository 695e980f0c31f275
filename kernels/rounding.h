// How far rounding may move the sums of a problem, and when kernels need double. No CUDA; internal
// to kernels/.
//
// The contract: a result of 8 or 16 bits is at most one level from the right one, and equal where
// every sum is exact (sums_are_exact). A kernel of fp32 sums takes a problem only if no sum of it
// can err by more than kLargestRounding levels: two results that are rounded then differ by one at
// most. `direct`, `direct_separable` and `opencv_cpu` take every problem, with sums in double where
// fp32 is too coarse: 16-bit discs from radius 11 on, or a matrix of +100000 and -99999.
// Two exceptions: where Σ|w| · max · |scale| passes 2^40, double is too coarse as well; and with
// exact_sums a magnitude has the bits of its fp32 formula (conv_problem.h), which is more than one
// level off where a bias near -2^22 brings such large ones into range.
#pragma once

#include <string>
#include <vector>

#include "kernels/conv_problem.h"

namespace weft {

constexpr double kLargestRounding = 0.45;

// The largest error of an output before it is rounded, in levels, by fp32 sums of the dense taps in
// any order and their magnitude; 0 for f32 and where all sums are exact, infinite where they must
// be and are not. Each addition rounds a sum of k products by at most half its last place, and the
// sum is at most that of the k largest taps times the largest sample.
double dense_rounding(const ConvProblem& problem);

// The same for the factors, either pass first, each in the order of its factors.
double factored_rounding(const ConvProblem& problem);

// The part of the magnitude's own roundings, 0 for other combinations and for exact_sums: 2.5 units
// of 2^-24 for each set after the first, of magnitudes that the scale and bias bring into range.
double magnitude_rounding(const ConvProblem& problem);

// Σ|w|, in double.
double absolute_sum_of(const std::vector<float>& weights);

// The largest |w|.
double largest_of(const std::vector<float>& weights);

// Empty, or a sentence that fp32 is too coarse for the dense taps, the factors or the magnitude.
std::string why_not_dense_in_fp32(const ConvProblem& problem);
std::string why_not_factors_in_fp32(const ConvProblem& problem);
std::string why_not_magnitude_in_fp32(const ConvProblem& problem);

}  // namespace weft
