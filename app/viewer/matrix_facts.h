// What a matrix editor tells of a matrix.
#pragma once

#include <vector>

#include "filters/matrix_text.h"
#include "filters/taps.h"

namespace weft {

struct MatrixFacts {
    double sum = 0;           // the gain of flat areas
    double absolute_sum = 0;  // Σ|w|: the largest gain of any picture
    double largest = 0;       // |w|
    // Singular values that stand out from the rounding of fp32 weights. 0 for all zeros.
    int rank = 0;
    std::vector<double> singular_values;  // descending, as many as the shorter side
    // Weights are a column times a row to one rounding each: kernels take two passes.
    bool separable = false;
    // Whole numbers whose sums over 8-bit pixels fp32 holds: every kernel gives the same bits.
    bool exact_sums = false;
};

MatrixFacts matrix_facts(const Matrix& matrix);

// As convolve makes them, with factors if there are any; the anchor is the centre.
Taps matrix_taps(const Matrix& matrix);

}  // namespace weft
