// Matrices as text, in `matrix=` and matrix files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

inline constexpr std::size_t kMatricesOfComponents = 4;  // one for each of y u v a or r g b a

// Rows of numbers as written, before they get a shape.
struct MatrixText {
    std::vector<std::vector<double>> rows;  // at least one row of at least one number
    std::vector<std::size_t> row_offsets;   // byte of each row's first number

    bool operator==(const MatrixText& other) const { return rows == other.rows; }
};

// A rectangle of weights, row-major, and its sides.
struct Matrix {
    int width = 0;
    int height = 0;
    std::vector<double> weights;

    bool operator==(const Matrix&) const = default;
};

// Numbers (see parse_number) separated by white space or a comma, rows by ';' or a new line,
// matrices by '|'; '#' starts a comment that runs to the end of its line. Empty lines do not
// count. Limits: `most` matrices, 63 × 63 numbers each, |number| <= 1e9. Throws TextError.
std::vector<MatrixText> parse_matrices(std::string_view text,
                                       std::size_t most = kMatricesOfComponents);

// "0 -1 0; -1 5 -1; 0 -1 0", matrices joined by " | ".
std::string print_matrices(const std::vector<MatrixText>& matrices);

// How a list of numbers that is written in one row becomes a matrix. Several rows must have equal
// lengths and keep their shape; `square` then only accepts as many rows as columns, `row` and
// `column` accept one row and one column.
enum class MatrixShape { automatic, square, row, column };

// `width` > 0 lays a flat list out in rows of that many numbers. Throws TextError, with the
// offset of the row at fault, for unequal rows, counts that do not fit, and sides over 63.
Matrix shape_matrix(const MatrixText& text, MatrixShape shape, int width);

}  // namespace weft
