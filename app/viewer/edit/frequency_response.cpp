#include "app/viewer/edit/frequency_response.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

namespace weft {
namespace {

using Complex = std::complex<double>;

// exp(-2πi f x)
Complex wave(double frequency, int x) {
    return std::polar(1.0, -2 * std::numbers::pi * frequency * x);
}

Complex sum_of_waves(const float* weights, int count, double frequency) {
    Complex sum = 0;
    for (int x = 0; x < count; ++x) sum += static_cast<double>(weights[x]) * wave(frequency, x);
    return sum;
}

Complex separable_response(const Taps& taps, double fx, double fy) {
    return sum_of_waves(taps.row.data(), taps.width, fx) *
           sum_of_waves(taps.column.data(), taps.height, fy);
}

Complex dense_response(const Taps& taps, double fx, double fy) {
    Complex sum = 0;
    for (int y = 0; y < taps.height; ++y)
        sum += wave(fy, y) * sum_of_waves(taps.weights.data() + y * taps.width, taps.width, fx);
    return sum;
}

std::vector<Complex> waves(double frequency, int count) {
    std::vector<Complex> out(static_cast<std::size_t>(count));
    for (int x = 0; x < count; ++x) out[x] = wave(frequency, x);
    return out;
}

// The response of each row of the taps at one frequency along x.
std::vector<Complex> rows_at(const Taps& taps, double fx) {
    const std::vector<Complex> across = waves(fx, taps.width);
    std::vector<Complex> rows(static_cast<std::size_t>(taps.height));
    for (int y = 0; y < taps.height; ++y)
        for (int x = 0; x < taps.width; ++x)
            rows[y] += static_cast<double>(taps.weights[y * taps.width + x]) * across[x];
    return rows;
}

// The frequency of grid index k in cycles per pixel.
double grid_frequency(int k, int size) {
    const int middle = size / 2;
    return static_cast<double>(k - middle) / size;
}

void fill_dense(const Taps& taps, FrequencyResponse& out) {
    std::vector<std::vector<Complex>> down(static_cast<std::size_t>(out.size));
    for (int j = 0; j < out.size; ++j) down[j] = waves(grid_frequency(j, out.size), taps.height);
    for (int i = 0; i < out.size; ++i) {
        const std::vector<Complex> rows = rows_at(taps, grid_frequency(i, out.size));
        for (int j = 0; j < out.size; ++j) {
            const Complex sum =
                std::inner_product(rows.begin(), rows.end(), down[j].begin(), Complex(0));
            out.magnitude[j * out.size + i] = std::abs(sum);
        }
    }
}

void fill_separable(const Taps& taps, FrequencyResponse& out) {
    for (int j = 0; j < out.size; ++j)
        for (int i = 0; i < out.size; ++i)
            out.magnitude[j * out.size + i] = std::abs(
                separable_response(taps, grid_frequency(i, out.size), grid_frequency(j, out.size)));
}

}  // namespace

double FrequencyResponse::at(int column, int row) const {
    return magnitude[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
                     static_cast<std::size_t>(column)];
}

FrequencyResponse frequency_response(const Taps& taps, double scale, int size) {
    FrequencyResponse out{.size = size,
                          .magnitude = std::vector<double>(static_cast<std::size_t>(size) *
                                                           static_cast<std::size_t>(size))};
    if (taps.dense())
        fill_dense(taps, out);
    else
        fill_separable(taps, out);
    for (double& magnitude : out.magnitude) magnitude *= std::fabs(scale);
    return out;
}

std::vector<double> response_profile(const Taps& taps, double scale, FrequencyAxis axis,
                                     int count) {
    std::vector<double> out;
    for (int k = 0; k < count; ++k) {
        const double frequency = 0.5 * k / (count - 1);
        const double fx = axis == FrequencyAxis::y ? 0 : frequency;
        const double fy = axis == FrequencyAxis::x ? 0 : frequency;
        const Complex h =
            taps.dense() ? dense_response(taps, fx, fy) : separable_response(taps, fx, fy);
        out.push_back(std::fabs(scale) * std::abs(h));
    }
    return out;
}

double decibels(double magnitude) {
    return std::max(20 * std::log10(std::max(magnitude, 1e-300)), kLeastDecibels);
}

}  // namespace weft
