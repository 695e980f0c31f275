#include "filters/taps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace weft {
namespace {

void check_side(const char* what, int side, int most) {
    if (side < 1 || side > most)
        throw std::invalid_argument(
            fmt::format("taps: {} is {}, but must be 1 to {}", what, side, most));
}

std::vector<float> outer_product(const std::vector<float>& row, const std::vector<float>& column) {
    std::vector<float> weights;
    weights.reserve(row.size() * column.size());
    for (float y : column)
        for (float x : row) weights.push_back(y * x);
    return weights;
}

bool integers(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](float v) { return std::nearbyint(v) == v; });
}

double absolute_sum(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0,
                           [](double sum, float v) { return sum + std::fabs(v); });
}

std::vector<float> reversed(std::vector<float> values) {
    std::reverse(values.begin(), values.end());
    return values;
}

std::vector<float> padded(const std::vector<float>& values, int size, int before) {
    std::vector<float> out(static_cast<std::size_t>(size));
    std::copy(values.begin(), values.end(), out.begin() + before);
    return out;
}

std::vector<float> padded_rows(const Taps& taps, int width, int height, int left, int top) {
    std::vector<float> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = 0; y < taps.height; ++y)
        std::copy_n(taps.weights.begin() + y * taps.width, taps.width,
                    out.begin() + (top + y) * width + left);
    return out;
}

// Offset (dx, dy) becomes (dy, -dx): right becomes up.
Taps quarter_turn(const Taps& taps) {
    Taps out{.width = taps.height,
             .height = taps.width,
             .anchor_x = taps.anchor_y,
             .anchor_y = taps.width - 1 - taps.anchor_x,
             .weights = {},
             .row = taps.column,
             .column = reversed(taps.row),
             .gaussian_x = taps.gaussian_y,
             .gaussian_y = taps.gaussian_x};
    out.weights.reserve(taps.weights.size());
    for (int y = 0; y < out.height && taps.dense(); ++y)
        for (int x = 0; x < out.width; ++x)
            out.weights.push_back(taps.weights[x * taps.width + (taps.width - 1 - y)]);
    return out;
}

}  // namespace

Taps dense_taps(int width, int height, std::vector<float> weights) {
    check_side("width", width, Taps::kMaxDense);
    check_side("height", height, Taps::kMaxDense);
    if (weights.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
        throw std::invalid_argument(
            fmt::format("taps: {} weights for {}×{}", weights.size(), width, height));
    return {.width = width,
            .height = height,
            .anchor_x = (width - 1) / 2,
            .anchor_y = (height - 1) / 2,
            .weights = std::move(weights),
            .row = {},
            .column = {}};
}

Taps separable_taps(std::vector<float> row, std::vector<float> column) {
    const int width = static_cast<int>(row.size());
    const int height = static_cast<int>(column.size());
    check_side("width", width, Taps::kMaxFactors);
    check_side("height", height, Taps::kMaxFactors);
    Taps taps{.width = width,
              .height = height,
              .anchor_x = (width - 1) / 2,
              .anchor_y = (height - 1) / 2,
              .weights = {},
              .row = std::move(row),
              .column = std::move(column)};
    if (std::max(width, height) <= Taps::kMaxDense)
        taps.weights = outer_product(taps.row, taps.column);
    return taps;
}

Taps identity_taps() {
    return separable_taps({1.0F}, {1.0F});
}

Taps padded_taps(const Taps& taps, int width, int height, int anchor_x, int anchor_y) {
    const int limit = taps.separable() ? Taps::kMaxFactors : Taps::kMaxDense;
    check_side("padded width", width, limit);
    check_side("padded height", height, limit);
    const int left = anchor_x - taps.anchor_x;
    const int top = anchor_y - taps.anchor_y;
    if (left < 0 || top < 0 || left + taps.width > width || top + taps.height > height)
        throw std::invalid_argument(fmt::format(
            "taps: {}×{} anchored at ({}, {}) do not fit {}×{} anchored at ({}, {})", taps.width,
            taps.height, taps.anchor_x, taps.anchor_y, width, height, anchor_x, anchor_y));
    Taps out = taps.separable()
                   ? separable_taps(padded(taps.row, width, left), padded(taps.column, height, top))
                   : dense_taps(width, height, padded_rows(taps, width, height, left, top));
    out.anchor_x = anchor_x;
    out.anchor_y = anchor_y;
    out.gaussian_x = taps.gaussian_x;
    out.gaussian_y = taps.gaussian_y;
    return out;
}

Taps rotated_taps(const Taps& taps, int degrees_counter_clockwise) {
    if (degrees_counter_clockwise % 90 != 0)
        throw std::invalid_argument(fmt::format(
            "taps: cannot rotate by {} degrees, only by quarter turns", degrees_counter_clockwise));
    Taps out = taps;
    for (int turn = ((degrees_counter_clockwise % 360) + 360) % 360; turn > 0; turn -= 90)
        out = quarter_turn(out);
    return out;
}

Taps negated(Taps taps) {
    for (float& w : taps.weights) w = 0.0F - w;
    for (float& w : taps.row) w = 0.0F - w;
    taps.gaussian_x = taps.gaussian_y = 0;
    return taps;
}

bool integer_valued(const Taps& taps) {
    return taps.dense() ? integers(taps.weights) : integers(taps.row) && integers(taps.column);
}

double absolute_sum(const Taps& taps) {
    return taps.dense() ? absolute_sum(taps.weights)
                        : absolute_sum(taps.row) * absolute_sum(taps.column);
}

}  // namespace weft
