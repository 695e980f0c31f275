// Operations on whole matrices for the matrix editor, and their properties. Pure; sides stay within
// 1..Taps::kMaxDense.
#pragma once

#include <cstdint>
#include <vector>

#include "filters/matrix_text.h"
#include "filters/taps.h"

namespace weft {

struct Cell {
    int x = 0;
    int y = 0;

    bool operator==(const Cell&) const = default;
};

double weight(const Matrix& matrix, Cell cell);
void set_weight(Matrix& matrix, Cell cell, double value);

Matrix filled_matrix(int width, int height, double value);

// Keeps the weights around the centre (as defined by dense_taps); new cells are 0. Sides are
// clamped.
Matrix resized(const Matrix& matrix, int width, int height);

Matrix transposed(const Matrix& matrix);
Matrix turned_clockwise(const Matrix& matrix);
Matrix mirrored_left_right(const Matrix& matrix);
Matrix mirrored_top_bottom(const Matrix& matrix);
Matrix scaled(const Matrix& matrix, double factor);

// Divides by the sum or, if that is 0 up to rounding, by half the sum of the absolute weights, so
// that a step from the negative to the positive weights gives 1. All zeros stay unchanged.
Matrix normalized(const Matrix& matrix);

// Which cells are tied to the same weight.
enum class Symmetry : std::uint8_t {
    none,
    horizontal,  // mirrored left to right
    vertical,    // mirrored top to bottom
    both,
    central,     // turned by 180 degrees
    rotational,  // turned by 90 degrees; matrices that are not square: by 180
};

// The cells tied to `cell` by the symmetry, starting with `cell`, without duplicates.
std::vector<Cell> equal_cells(const Matrix& matrix, Cell cell, Symmetry symmetry);

// Replaces each weight by the mean of the cells tied to it.
Matrix symmetrized(const Matrix& matrix, Symmetry symmetry);

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
