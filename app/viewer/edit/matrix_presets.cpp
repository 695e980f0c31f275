#include "app/viewer/edit/matrix_presets.h"

#include <array>
#include <cmath>
#include <initializer_list>

#include "app/viewer/edit/matrix_ops.h"

namespace weft {
namespace {

Matrix three(std::initializer_list<double> weights) {
    return {.width = 3, .height = 3, .weights = weights};
}

Matrix identity(int width, int height) {
    Matrix out = filled_matrix(width, height, 0);
    set_weight(out, {.x = (out.width - 1) / 2, .y = (out.height - 1) / 2}, 1);
    return out;
}

Matrix box(int width, int height) {
    return filled_matrix(width, height, 1);
}

// A bell that reaches 3 sigma at the sides.
Matrix gaussian(int width, int height) {
    Matrix out = filled_matrix(width, height, 0);
    const auto bell = [](int at, int side) {
        const double x = at - (side - 1) / 2.0;
        const double sigma = std::max(side, 2) / 6.0;
        return std::exp(-x * x / (2 * sigma * sigma));
    };
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x)
            set_weight(out, {x, y}, bell(x, out.width) * bell(y, out.height));
    return scaled(out, 1 / weight(out, {(out.width - 1) / 2, (out.height - 1) / 2}));
}

// Ones on the diagonal from the lower left to the upper right.
Matrix diagonal(int width, int height) {
    Matrix out = filled_matrix(width, height, 0);
    for (int x = 0; x < out.width; ++x) {
        const int from_below = out.width == 1 ? 0 : x * (out.height - 1) / (out.width - 1);
        set_weight(out, {x, out.height - 1 - from_below}, 1);
    }
    return out;
}

Matrix binomial3(int, int) {
    return three({1, 2, 1, 2, 4, 2, 1, 2, 1});
}
Matrix sharpen(int, int) {
    return three({0, -1, 0, -1, 5, -1, 0, -1, 0});
}
Matrix sharpen8(int, int) {
    return three({-1, -1, -1, -1, 9, -1, -1, -1, -1});
}
Matrix emboss(int, int) {
    return three({-2, -1, 0, -1, 1, 1, 0, 1, 2});
}
Matrix laplacian4(int, int) {
    return three({0, 1, 0, 1, -4, 1, 0, 1, 0});
}
Matrix laplacian8(int, int) {
    return three({1, 1, 1, 1, -8, 1, 1, 1, 1});
}
Matrix sobel_x(int, int) {
    return three({-1, 0, 1, -2, 0, 2, -1, 0, 1});
}
Matrix sobel_y(int, int) {
    return three({-1, -2, -1, 0, 0, 0, 1, 2, 1});
}

constexpr std::string_view kThree = "3×3";

constexpr std::array<MatrixPreset, 12> kPresets{{
    {"identity", "the picture as it is", identity},
    {"box", "mean of all pixels under it", box, "", true},
    {"gaussian", "a bell; three sigma reach the sides", gaussian, "", true},
    {"binomial", "1 2 1 by 1 2 1, the smallest bell in whole numbers", binomial3, kThree, true},
    {"diagonal", "motion blur from corner to corner", diagonal, "", true},
    {"sharpen", "against four neighbours", sharpen, kThree},
    {"sharpen 8", "against eight neighbours", sharpen8, kThree},
    {"emboss", "relief lit from the upper left, over the picture", emboss, kThree},
    {"laplacian", "second derivative, four neighbours", laplacian4, kThree},
    {"laplacian 8", "second derivative, eight neighbours", laplacian8, kThree},
    {"sobel x", "derivative to the right", sobel_x, kThree},
    {"sobel y", "derivative downwards", sobel_y, kThree},
}};

}  // namespace

std::span<const MatrixPreset> matrix_presets() {
    return kPresets;
}

}  // namespace weft
