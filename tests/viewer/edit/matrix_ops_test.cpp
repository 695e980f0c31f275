#include "app/viewer/edit/matrix_ops.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/viewer/edit/matrix_edit.h"
#include "app/viewer/edit/matrix_paste.h"
#include "filters/taps.h"

namespace weft {
namespace {

Matrix matrix(std::string_view text) {
    return pasted_matrices(text).front();
}

struct Row {
    std::string_view operation;
    Matrix (*operate)(const Matrix&);
    std::string_view from;
    std::string_view to;
};

const Row kRows[]{
    {"transposed", transposed, "1 2 3; 4 5 6", "1 4; 2 5; 3 6"},
    {"turned", turned_clockwise, "1 2 3; 4 5 6", "4 1; 5 2; 6 3"},
    {"mirrored left to right", mirrored_left_right, "1 2 3; 4 5 6", "3 2 1; 6 5 4"},
    {"mirrored top to bottom", mirrored_top_bottom, "1 2 3; 4 5 6", "4 5 6; 1 2 3"},
    {"negated", [](const Matrix& m) { return scaled(m, -1); }, "1 0; -2 3", "-1 0; 2 -3"},
    {"normalised", normalized, "1 2; 3 2", "0.125 0.25; 0.375 0.25"},
    {"normalised zero sum", normalized, "-1 0; 0 1", "-1 0; 0 1"},
    {"normalised sobel", normalized, "-1 0 1; -2 0 2; -1 0 1",
     "-0.25 0 0.25; -0.5 0 0.5; -0.25 0 0.25"},
    {"normalised zeros", normalized, "0 0; 0 0", "0 0; 0 0"},
    {"larger", [](const Matrix& m) { return resized(m, 5, 3); }, "1 2 3; 4 5 6; 7 8 9",
     "0 1 2 3 0; 0 4 5 6 0; 0 7 8 9 0"},
    {"smaller", [](const Matrix& m) { return resized(m, 1, 3); }, "1 2 3; 4 5 6; 7 8 9", "2; 5; 8"},
    {"even", [](const Matrix& m) { return resized(m, 4, 4); }, "1 2 3; 4 5 6; 7 8 9",
     "1 2 3 0; 4 5 6 0; 7 8 9 0; 0 0 0 0"},
    {"even to odd", [](const Matrix& m) { return resized(m, 3, 3); }, "1 2; 3 4",
     "0 0 0; 0 1 2; 0 3 4"},
    {"past the limits", [](const Matrix& m) { return resized(resized(m, 99, 0), 2, 2); },
     "7 8; 9 9", "7 8; 0 0"},
    {"symmetric left to right",
     [](const Matrix& m) { return symmetrized(m, Symmetry::horizontal); }, "1 2 3; 4 5 8",
     "2 2 2; 6 5 6"},
    {"symmetric by quarter turns",
     [](const Matrix& m) { return symmetrized(m, Symmetry::rotational); }, "1 0 2; 0 5 4; 4 0 1",
     "2 1 2; 1 5 1; 2 1 2"},
};

TEST(ViewerMatrixOps, Rows) {
    for (const Row& row : kRows)
        EXPECT_EQ(matrix_text(row.operate(matrix(row.from))), matrix_text(matrix(row.to)))
            << row.operation;
}

struct Orbit {
    int width = 0, height = 0;
    Symmetry symmetry = Symmetry::none;
    Cell cell;
    std::size_t count = 0;
    Cell furthest;  // one of the cells
};

constexpr Orbit kOrbits[]{
    {5, 3, Symmetry::none, {0, 0}, 1, {0, 0}},
    {5, 3, Symmetry::horizontal, {0, 1}, 2, {4, 1}},
    {5, 3, Symmetry::horizontal, {2, 1}, 1, {2, 1}},
    {5, 3, Symmetry::vertical, {0, 0}, 2, {0, 2}},
    {5, 3, Symmetry::both, {1, 0}, 4, {3, 2}},
    {5, 3, Symmetry::both, {2, 0}, 2, {2, 2}},
    {5, 3, Symmetry::central, {1, 0}, 2, {3, 2}},
    {5, 3, Symmetry::central, {2, 1}, 1, {2, 1}},
    {5, 5, Symmetry::rotational, {1, 0}, 4, {0, 3}},
    {4, 4, Symmetry::rotational, {1, 0}, 4, {3, 1}},
    {5, 5, Symmetry::rotational, {2, 2}, 1, {2, 2}},
    {5, 3, Symmetry::rotational, {1, 0}, 2, {3, 2}},
};

TEST(ViewerMatrixOps, EqualCells) {
    for (const Orbit& row : kOrbits) {
        const Matrix m = filled_matrix(row.width, row.height, 0);
        const std::vector<Cell> cells = equal_cells(m, row.cell, row.symmetry);
        EXPECT_EQ(cells.size(), row.count);
        EXPECT_EQ(cells.front(), row.cell);
        EXPECT_NE(std::find(cells.begin(), cells.end(), row.furthest), cells.end());
        // Every cell of the orbit gives the same orbit.
        for (Cell cell : cells)
            for (Cell other : equal_cells(m, cell, row.symmetry))
                EXPECT_NE(std::find(cells.begin(), cells.end(), other), cells.end());
    }
}

TEST(ViewerMatrixOps, ResizingToAnyOddSizeAndBackLosesNothing) {
    const Matrix small = matrix("1 2 3; 4 5 6; 7 8 9");
    for (int width = 3; width <= Taps::kMaxDense; width += 2)
        for (int height = 3; height <= Taps::kMaxDense; height += 6)
            ASSERT_EQ(resized(resized(small, width, height), 3, 3), small);
}

}  // namespace
}  // namespace weft
