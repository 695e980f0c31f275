#include "app/viewer/edit/frequency_response.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr double kPi = std::numbers::pi;

// |sin(πnf) / sin(πf)|: what n ones in a row let through.
double dirichlet(int n, double f) {
    return f == 0 ? n : std::fabs(std::sin(kPi * n * f) / std::sin(kPi * f));
}

Taps ones(int width, int height) {
    return dense_taps(width, height, std::vector<float>(width * height, 1.0F));
}

TEST(ViewerFrequencyResponse, BoxIsADirichletKernel) {
    for (const auto& [width, height] : {std::pair{1, 1}, {3, 3}, {5, 2}, {63, 62}})
        for (int size : {2, 16, 64}) {
            const FrequencyResponse got = frequency_response(ones(width, height), 1, size);
            ASSERT_EQ(got.size, size);
            for (int j = 0; j < size; ++j)
                for (int i = 0; i < size; ++i) {
                    const double fx = static_cast<double>(i) / size - 0.5;
                    const double fy = static_cast<double>(j) / size - 0.5;
                    ASSERT_NEAR(got.at(i, j), dirichlet(width, fx) * dirichlet(height, fy), 1e-9)
                        << width << ' ' << height << ' ' << i << ' ' << j;
                }
        }
}

TEST(ViewerFrequencyResponse, DeltaPassesEveryFrequency) {
    Taps delta = dense_taps(3, 4, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0});
    for (double magnitude : frequency_response(delta, -0.5, 8).magnitude)
        EXPECT_NEAR(magnitude, 0.5, 1e-12);
}

TEST(ViewerFrequencyResponse, GaussianIsAGaussian) {
    const double sigma = 2;
    std::vector<float> row;
    double sum = 0;
    for (int x = -12; x <= 12; ++x) {
        row.push_back(static_cast<float>(std::exp(-x * x / (2 * sigma * sigma))));
        sum += static_cast<double>(row.back());
    }
    const Taps taps = separable_taps(row, row);
    const FrequencyResponse got = frequency_response(taps, 1 / (sum * sum), 32);
    for (int j = 0; j < 32; ++j)
        for (int i = 0; i < 32; ++i) {
            const double fx = i / 32.0 - 0.5;
            const double fy = j / 32.0 - 0.5;
            ASSERT_NEAR(got.at(i, j),
                        std::exp(-2 * kPi * kPi * sigma * sigma * (fx * fx + fy * fy)), 1e-6);
        }
}

TEST(ViewerFrequencyResponse, FactorsGiveTheSameResponseAsTaps) {
    const Taps wide = separable_taps(std::vector<float>(101, 1.0F), {1, 2, 1});
    ASSERT_FALSE(wide.dense());
    const FrequencyResponse got = frequency_response(wide, 1, 16);
    for (int j = 0; j < 16; ++j)
        for (int i = 0; i < 16; ++i)
            ASSERT_NEAR(got.at(i, j),
                        dirichlet(101, i / 16.0 - 0.5) *
                            std::fabs(2 + 2 * std::cos(2 * kPi * (j / 16.0 - 0.5))),
                        1e-9);
}

TEST(ViewerFrequencyResponse, ProfilesRunFromZeroToHalfACycle) {
    // A derivative along x, smoothed along y: sobel.
    const Taps sobel = dense_taps(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1});
    const auto across = [](double f) { return std::fabs(2 * std::sin(2 * kPi * f)); };
    const auto down = [](double f) { return std::fabs(2 + 2 * std::cos(2 * kPi * f)); };
    const std::vector<double> x = response_profile(sobel, 1, FrequencyAxis::x, 9);
    const std::vector<double> y = response_profile(sobel, 1, FrequencyAxis::y, 9);
    const std::vector<double> both = response_profile(sobel, 2, FrequencyAxis::diagonal, 9);
    ASSERT_EQ(x.size(), 9U);
    for (int k = 0; k < 9; ++k) {
        const double f = k / 16.0;
        EXPECT_NEAR(x[k], across(f) * 4, 1e-12);
        EXPECT_NEAR(y[k], 0, 1e-12);
        EXPECT_NEAR(both[k], 2 * across(f) * down(f), 1e-12);
    }
}

TEST(ViewerFrequencyResponse, Decibels) {
    EXPECT_NEAR(decibels(1), 0, 1e-12);
    EXPECT_NEAR(decibels(10), 20, 1e-12);
    EXPECT_NEAR(decibels(0.5), -6.0206, 1e-4);
    EXPECT_EQ(decibels(0), kLeastDecibels);
    EXPECT_EQ(decibels(1e-30), kLeastDecibels);
}

}  // namespace
}  // namespace weft
