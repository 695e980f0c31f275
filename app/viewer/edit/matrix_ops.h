// Whole-matrix operations for the matrix editor. Pure; sides stay within 1..Taps::kMaxDense.
#pragma once

#include <cstdint>
#include <vector>

#include "filters/matrix_text.h"

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

}  // namespace weft
