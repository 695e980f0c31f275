// Taps that give the same bits on every device: whole numbers over a power of two, by definition
// rather than by rounding, so that no sum of any kernel, in any order, is rounded.
#pragma once

#include "kernels/conv_problem.h"

namespace weft {

struct ExactProblem {
    ConvProblem problem;  // with exact_sums
    // How far a result may be from that of the taps as given, in levels, before both are rounded.
    double deviation = 0;
};

// The problem with the whole-number taps nearest to its own; the scale becomes the power of two.
//
// Taps that are exact already stay. Others become as fine as fp32 sums allow (Σ|w| · max < 2^24: 16
// bits for 8-bit blurs) if that moves results by at most half a level, and as fine as double sums
// allow (2^53) if not, which fewer and slower kernels take. Magnitudes are always of fp32 sums:
// roots of larger ones are rounded. Wide products of a row and a column keep their factors, in
// double: of 22 bits for 8-bit samples, and of 18 for 16-bit ones, which moves results by up to a
// few of 65,535 levels. The largest tap takes up what rounding adds or removes, so that flat areas
// keep their level.
//
// Throws std::invalid_argument with a sentence for f32: samples that are no whole numbers have no
// exact sums.
ExactProblem with_exact_sums(const ConvProblem& problem);

}  // namespace weft
