// What a matrix editor does to a whole matrix. Pure; sides stay within 1..Taps::kMaxDense.
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

// The same weights around the same centre (that of dense_taps), new cells 0. Sides are clamped.
Matrix resized(const Matrix& matrix, int width, int height);

Matrix transposed(const Matrix& matrix);
Matrix turned_clockwise(const Matrix& matrix);
Matrix mirrored_left_right(const Matrix& matrix);
Matrix mirrored_top_bottom(const Matrix& matrix);
Matrix scaled(const Matrix& matrix, double factor);

// Divided by its sum, or, where that is 0 but for rounding, by half the sum of the absolute
// weights, so that a step from the negative to the positive ones gives 1. All zeros stay as they
// are.
Matrix normalized(const Matrix& matrix);

// Which cells always hold the same weight.
enum class Symmetry : std::uint8_t {
    none,
    horizontal,  // mirrored left to right
    vertical,    // mirrored top to bottom
    both,
    central,     // turned by 180 degrees
    rotational,  // turned by 90 degrees; of matrices that are not square: by 180
};

// The cells that are equal to `cell` under the symmetry, itself first, none twice.
std::vector<Cell> equal_cells(const Matrix& matrix, Cell cell, Symmetry symmetry);

// Every weight replaced by the mean of the cells that are to equal it.
Matrix symmetrized(const Matrix& matrix, Symmetry symmetry);

}  // namespace weft
