// Properties of a matrix, for the matrix editor.
#pragma once

#include <vector>

#include "filters/matrix_text.h"
#include "filters/taps.h"

namespace weft {

struct MatrixFacts {
    double sum = 0;           // the gain in flat areas
    double absolute_sum = 0;  // Σ|w|: the largest gain for any picture
    double largest = 0;       // |w|
    // Number of singular values above the rounding of fp32 weights. 0 for all zeros.
    int rank = 0;
    std::vector<double> singular_values;  // descending, as many as the shorter side
    // The weights equal an outer product to within one rounding each: kernels use two passes.
    bool separable = false;
    // Integers whose sums over 8-bit pixels are exact in fp32: every kernel gives the same bits.
    bool exact_sums = false;
};

MatrixFacts matrix_facts(const Matrix& matrix);

// The taps as built by convolve, with factors if they exist; the anchor is the centre.
Taps matrix_taps(const Matrix& matrix);

}  // namespace weft
