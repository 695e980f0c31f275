// Gaussians at two rates against the true ones: the weights of an axis for every picture there is,
// and cpu_two_rate on pictures that are hard for it.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "filters/made_taps.h"
#include "kernels/cpu/two_rate_axis.h"
#include "tests/kernels/cases/case_maker.h"
#include "tests/support/conv_translation.h"

namespace weft::test {

namespace {

// Weights of the samples of an axis, the last of which is that of a constant border.
using Row = std::vector<double>;

// The source of a sample, as an index of Row.
int source_of(int position, int length, Border border) {
    const int source = oracle::edge_source(position, length, oracle_edge(border));
    return source < 0 ? length : source;
}

std::vector<Row> true_axis(int length, Border border, double sigma) {
    const Row bell = oracle::gaussian(sigma);
    const int reach = static_cast<int>(bell.size() / 2);
    std::vector<int> sources;
    for (int x = -reach; x < length + reach; ++x) sources.push_back(source_of(x, length, border));
    std::vector<Row> rows(length, Row(length + 1));
    for (int x = 0; x < length; ++x)
        for (int k = 0; k <= 2 * reach; ++k) rows[x][sources[x + k]] += bell[k];
    return rows;
}

// sums · in, whose rows beyond the ends are those of the border.
std::vector<Row> sums_of(const RowSums& sums, const std::vector<Row>& in, int count, Border border,
                         const Row& outside) {
    std::vector<Row> out;
    for (int k = 0; k < count; ++k) {
        const RowSums::Group& group = sums.groups[k / RowSums::kGroup];
        Row& row = out.emplace_back(outside.size());
        for (int i = 0; i < group.rows; ++i) {
            const double tap = sums.taps[group.taps + i * RowSums::kGroup + k % RowSums::kGroup];
            const int source = source_of(group.first + i, static_cast<int>(in.size()), border);
            const Row& from = source == std::ssize(in) ? outside : in[source];
            for (std::size_t x = 0; x < row.size() && tap != 0; ++x) row[x] += tap * from[x];
        }
    }
    return out;
}

std::vector<Row> rows_between(const TwoRateAxis& axis, const std::vector<Row>& low) {
    std::vector<Row> out;
    for (const RowsBetween::Run& run : axis.up.runs)
        for (int r = 0; r < run.count; ++r) {
            Row& row = out.emplace_back(axis.length + 1);
            for (int i = 0; i < axis.up.window; ++i) {
                const double tap = axis.up.taps[(run.row + r) * axis.up.window + i];
                const Row& from = low[source_of(run.first + i, axis.low, axis.low_border)];
                for (std::size_t x = 0; x < row.size(); ++x) row[x] += tap * from[x];
            }
        }
    return out;
}

std::vector<Row> weights_of(const TwoRateAxis& axis) {
    std::vector<Row> samples(axis.length, Row(axis.length + 1));
    for (int x = 0; x < axis.length; ++x) samples[x][x] = 1;
    Row outside(axis.length + 1);
    outside.back() = 1;
    const std::vector<Row> low = sums_of(axis.down, samples, axis.low, axis.border, outside);
    return rows_between(axis, sums_of(axis.blur, low, axis.low, axis.low_border, outside));
}

// The largest error of any samples from 0 to 1: they are 1 where the weights are too small, or
// where they are too large.
double largest_error(const std::vector<Row>& is, const std::vector<Row>& want) {
    double largest = 0;
    for (std::size_t x = 0; x < want.size(); ++x) {
        double missing = 0;
        double added = 0;
        for (std::size_t i = 0; i < want[x].size(); ++i) {
            const double more = is[x][i] - want[x][i];
            (more > 0 ? added : missing) += std::fabs(more);
        }
        largest = std::max({largest, missing, added});
    }
    return largest;
}

// Samples from 0 to 1.
double sample_of(std::string_view picture, const ConvProblem& p, double sigma, int x, int y, int c,
                 std::mt19937& random) {
    const double from_middle = std::hypot(x - p.width / 2.0, y - p.height / 2.0);
    if (picture == "white") return 1;
    if (picture == "step") return x + c < p.width / 2 ? 1 : 0;
    if (picture == "stairs") return y < p.height / 3 ? 1 : 0;
    if (picture == "disc") return from_middle + c < std::min(p.width, p.height) / 3.0 ? 1 : 0;
    if (picture == "edges") return x == 0 || y == p.height - 1 ? 1 : 0;
    if (picture == "dot") return x == p.width / 3 && y == p.height / 2 ? 1 : 0;
    const int cell = std::max(1, static_cast<int>(1.5 * sigma));
    if (picture == "cells") return (x / cell + y / cell + c) % 2;
    return static_cast<double>(random() % 2);
}

ConvCase case_of(std::string_view picture, const ConvProblem& p, double sigma) {
    ConvCase c;
    c.problem = p;
    std::mt19937 random(static_cast<unsigned>(p.width + p.height));
    for (int y = 0; y < p.height; ++y)
        for (int x = 0; x < p.width; ++x)
            for (int k = 0; k < p.channels; ++k)
                c.samples.push_back(p.max_value * sample_of(picture, p, sigma, x, y, k, random));
    return c;
}

std::vector<double> true_gaussian(const ConvCase& c, double sigma_x, double sigma_y) {
    const ConvProblem& p = c.problem;
    const std::vector<Row> across = true_axis(p.width, p.border.x, sigma_x);
    const std::vector<Row> down = true_axis(p.height, p.border.y, sigma_y);
    const auto at = [&](int x, int y, int k) { return (y * p.width + x) * p.channels + k; };
    std::vector<double> between(c.samples.size());
    std::vector<double> out(c.samples.size());
    for (int y = 0; y < p.height; ++y)
        for (int x = 0; x < p.width; ++x)
            for (int k = 0; k < p.channels; ++k) {
                double& sum = between[at(x, y, k)];
                sum = across[x].back() * p.border_value;
                for (int i = 0; i < p.width; ++i) sum += across[x][i] * c.samples[at(i, y, k)];
            }
    for (int y = 0; y < p.height; ++y)
        for (int x = 0; x < p.width; ++x)
            for (int k = 0; k < p.channels; ++k) {
                double& sum = out[at(x, y, k)];
                sum = down[y].back() * p.border_value;
                for (int i = 0; i < p.height; ++i) sum += down[y][i] * between[at(x, i, k)];
            }
    return out;
}

// How far from the true Gaussian a sample may be.
double allowed_error(const ConvProblem& p) {
    switch (p.type) {
        case PixelType::u8:
            return 0.5 + 0.2;
        case PixelType::u16:
            return 0.5 + 1e-6 * p.max_value;
        case PixelType::f32:
            break;
    }
    return 1e-6 * p.max_value;
}

}  // namespace

// Both axes of a picture err by twice as much.
TEST(KernelsTwoRate, AnAxisIsRightForEveryPicture) {
    for (const Borders borders : kBorders) {
        const Border border = borders.x;
        for (const float sigma : {4.0F, 4.7F, 6.0F, 9.1F, 12.0F, 20.0F, 33.3F, 77.0F, 300.0F}) {
            for (const int length : {1, 2, 3, 17, 64, 101, 256}) {
                if (sigma > 100 && length > 64) continue;
                const std::vector<Row> want = true_axis(length, border, sigma);
                for (const PixelType type : {PixelType::u8, PixelType::f32}) {
                    const TwoRateAxis axis =
                        two_rate_axis(length, border, sigma, {1}, 0, two_rates_for(type));
                    EXPECT_LE(largest_error(weights_of(axis), want),
                              type == PixelType::u8 ? 0.1 / 255 : 3e-7)
                        << fmt::format("{} {}, sigma {}, {} pixels", name_of(type), name_of(border),
                                       sigma, length);
                }
            }
        }
    }
}

TEST(KernelsTwoRate, TheCostDoesNotDependOnSigma) {
    for (const PixelType type : {PixelType::u8, PixelType::f32}) {
        const auto products = [&](float sigma) {
            const TwoRateAxis axis =
                two_rate_axis(4000, Border::reflect101, sigma, {1}, 0, two_rates_for(type));
            double count = 0;
            for (const RowSums::Group& group : axis.down.groups) count += group.rows;
            return count / axis.length;
        };
        EXPECT_LT(products(250), 1.1 * products(12)) << name_of(type);
    }
}

TEST(KernelsTwoRate, PicturesAreTheTrueGaussian) {
    struct PixelShape {
        int width, height, channels;
    };
    constexpr std::array<PixelShape, 8> kShapes{{{1, 1, 1},
                                                 {1, 50, 2},
                                                 {50, 1, 3},
                                                 {5, 3, 1},
                                                 {17, 64, 4},
                                                 {65, 33, 3},
                                                 {133, 71, 1},
                                                 {300, 40, 2}}};
    struct Samples {
        PixelType type;
        float most;
    };
    constexpr std::array<Samples, 4> kSamples{{{PixelType::u8, 255},
                                               {PixelType::u16, 1023},
                                               {PixelType::u16, 65535},
                                               {PixelType::f32, 1}}};
    constexpr std::array<float, 7> kSigmas{4, 7.3F, 12, 20, 33, 90, 250};
    const Runner runner(*find_kernel("cpu_two_rate"), cpu_device());
    std::size_t count = 0;
    for (const std::string_view picture :
         {"white", "step", "stairs", "disc", "edges", "dot", "cells", "noise"}) {
        for (const Borders border : kBorders) {
            for (const Samples samples : kSamples) {
                const PixelShape shape = kShapes[count % 8];
                const float across = kSigmas[count % 7];
                const float down = kSigmas[count / 7 % 7];
                ++count;
                ConvProblem p;
                p.width = shape.width;
                p.height = shape.height;
                p.channels = shape.channels;
                p.type = samples.type;
                p.max_value = samples.most;
                p.border = border;
                if (border == Border::constant && picture != "white") p.border_value = samples.most;
                p.conv = {one_set(gaussian_taps(across, down, 9, 9))};
                const ConvCase c = case_of(picture, p, across);
                std::string failure;
                const std::vector<double> got = runner.run(c, failure);
                EXPECT_EQ(failure, "");
                const std::vector<double> want = true_gaussian(c, across, down);
                double error = 0;
                for (std::size_t i = 0; i < got.size(); ++i)
                    error = std::max(error, std::fabs(got[i] - want[i]));
                EXPECT_LE(error, allowed_error(p))
                    << fmt::format("{}, sigma {} and {}: {}", picture, across, down, describe(p));
            }
        }
    }
}

TEST(KernelsTwoRate, BitsDoNotDependOnTheNumberOfThreads) {
    ConvCase c;
    c.problem.width = 701;
    c.problem.height = 503;
    c.problem.channels = 3;
    c.problem.conv = {one_set(gaussian_taps(12, 20, 9, 9))};
    std::string failure;
    Device device = cpu_device();
    device.multiprocessors = 1;
    const std::vector<double> want = Runner(*find_kernel("cpu_two_rate"), device).run(c, failure);
    device.multiprocessors = 7;
    EXPECT_EQ(Runner(*find_kernel("cpu_two_rate"), device).run(c, failure), want);
    EXPECT_EQ(failure, "");
}

}  // namespace weft::test
