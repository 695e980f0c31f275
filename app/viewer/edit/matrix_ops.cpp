#include "app/viewer/edit/matrix_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <opencv2/core.hpp>

#include "filters/made_taps.h"
#include "filters/taps.h"

namespace weft {
namespace {

std::size_t place(const Matrix& matrix, Cell cell) {
    return static_cast<std::size_t>(cell.y) * static_cast<std::size_t>(matrix.width) +
           static_cast<std::size_t>(cell.x);
}

// A width × height matrix with cell (x, y) set to from(x, y).
template <class From>
Matrix made(int width, int height, const From& from) {
    Matrix out = filled_matrix(width, height, 0);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) set_weight(out, {x, y}, from(x, y));
    return out;
}

}  // namespace

double weight(const Matrix& matrix, Cell cell) {
    return matrix.weights[place(matrix, cell)];
}

void set_weight(Matrix& matrix, Cell cell, double value) {
    matrix.weights[place(matrix, cell)] = value;
}

Matrix filled_matrix(int width, int height, double value) {
    const int w = std::clamp(width, 1, Taps::kMaxDense);
    const int h = std::clamp(height, 1, Taps::kMaxDense);
    return {.width = w,
            .height = h,
            .weights = std::vector<double>(
                static_cast<std::size_t>(w) * static_cast<std::size_t>(h), value)};
}

Matrix resized(const Matrix& matrix, int width, int height) {
    Matrix out = filled_matrix(width, height, 0);
    const int left = (out.width - 1) / 2 - (matrix.width - 1) / 2;
    const int top = (out.height - 1) / 2 - (matrix.height - 1) / 2;
    for (int y = 0; y < matrix.height; ++y)
        for (int x = 0; x < matrix.width; ++x) {
            const Cell to{.x = x + left, .y = y + top};
            if (to.x >= 0 && to.x < out.width && to.y >= 0 && to.y < out.height)
                set_weight(out, to, weight(matrix, {x, y}));
        }
    return out;
}

Matrix transposed(const Matrix& matrix) {
    return made(matrix.height, matrix.width,
                [&](int x, int y) { return weight(matrix, {.x = y, .y = x}); });
}

Matrix turned_clockwise(const Matrix& matrix) {
    return mirrored_left_right(transposed(matrix));
}

Matrix mirrored_left_right(const Matrix& matrix) {
    return made(matrix.width, matrix.height, [&](int x, int y) {
        return weight(matrix, {matrix.width - 1 - x, y});
    });
}

Matrix mirrored_top_bottom(const Matrix& matrix) {
    return made(matrix.width, matrix.height, [&](int x, int y) {
        return weight(matrix, {x, matrix.height - 1 - y});
    });
}

Matrix scaled(const Matrix& matrix, double factor) {
    Matrix out = matrix;
    for (double& w : out.weights) w = w == 0 ? 0 : w * factor;  // no -0
    return out;
}

Matrix normalized(const Matrix& matrix) {
    const double sum = std::accumulate(matrix.weights.begin(), matrix.weights.end(), 0.0);
    const double absolute =
        std::accumulate(matrix.weights.begin(), matrix.weights.end(), 0.0,
                        [](double total, double w) { return total + std::fabs(w); });
    if (absolute == 0) return matrix;
    return scaled(matrix, std::fabs(sum) > 1e-9 * absolute ? 1 / sum : 2 / absolute);
}

std::vector<Cell> equal_cells(const Matrix& matrix, Cell cell, Symmetry symmetry) {
    const int right = matrix.width - 1;
    const int bottom = matrix.height - 1;
    const Cell mirrored{.x = right - cell.x, .y = cell.y};
    const Cell flipped{.x = cell.x, .y = bottom - cell.y};
    const Cell turned{.x = right - cell.x, .y = bottom - cell.y};
    std::vector<Cell> cells{cell};
    const auto add = [&](Cell other) {
        if (std::find(cells.begin(), cells.end(), other) == cells.end()) cells.push_back(other);
    };
    if (symmetry == Symmetry::horizontal || symmetry == Symmetry::both) add(mirrored);
    if (symmetry == Symmetry::vertical || symmetry == Symmetry::both) add(flipped);
    if (symmetry == Symmetry::both || symmetry == Symmetry::central ||
        symmetry == Symmetry::rotational)
        add(turned);
    if (symmetry == Symmetry::rotational && right == bottom) {
        add({.x = right - cell.y, .y = cell.x});
        add({.x = cell.y, .y = right - cell.x});
    }
    return cells;
}

Matrix symmetrized(const Matrix& matrix, Symmetry symmetry) {
    return made(matrix.width, matrix.height, [&](int x, int y) {
        const std::vector<Cell> cells = equal_cells(matrix, {x, y}, symmetry);
        double sum = 0;
        for (Cell cell : cells) sum += weight(matrix, cell);
        return sum / static_cast<double>(cells.size());
    });
}

namespace {

std::vector<double> singular_values(const Matrix& matrix) {
    cv::Mat weights(matrix.height, matrix.width, CV_64F);
    std::copy(matrix.weights.begin(), matrix.weights.end(), weights.begin<double>());
    cv::Mat values;
    cv::SVD::compute(weights, values, cv::SVD::NO_UV);
    return {values.begin<double>(), values.end<double>()};
}

int rank_of(const std::vector<double>& values, const Matrix& matrix) {
    const double noise = values.front() * std::max(matrix.width, matrix.height) *
                         static_cast<double>(std::numeric_limits<float>::epsilon());
    return static_cast<int>(
        std::count_if(values.begin(), values.end(), [&](double v) { return v > noise; }));
}

}  // namespace

Taps matrix_taps(const Matrix& matrix) {
    return with_factors(
        dense_taps(matrix.width, matrix.height, {matrix.weights.begin(), matrix.weights.end()}));
}

MatrixFacts matrix_facts(const Matrix& matrix) {
    constexpr double kWholeInFp32 = 1 << 24;
    const Taps taps = matrix_taps(matrix);
    MatrixFacts facts;
    facts.sum = std::accumulate(matrix.weights.begin(), matrix.weights.end(), 0.0);
    facts.absolute_sum = absolute_sum(taps);
    for (double w : matrix.weights) facts.largest = std::max(facts.largest, std::fabs(w));
    facts.singular_values = singular_values(matrix);
    facts.rank = rank_of(facts.singular_values, matrix);
    facts.separable = taps.separable();
    facts.exact_sums = integer_valued(taps) && facts.absolute_sum * 255 < kWholeInFp32;
    return facts;
}

}  // namespace weft
