// The taps of each filter against numbers from its definition.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "tests/filters/frames.h"
#include "tests/support/oracle.h"

namespace weft {
namespace {

using test::at;
using test::convolution;
using test::frame;

const Taps& first(const Convolution& convolution, std::size_t set = 0) {
    return convolution.components.at(0).taps.at(set);
}

std::vector<float> weights(std::string_view step, std::size_t set = 0) {
    return first(convolution(step, frame("gray")), set).weights;
}

TEST(FiltersShapes, GaussianIsTheBell) {
    for (double sigma : {0.4, 1.0, 2.0, 7.3}) {
        const Convolution blur = convolution("gaussian=" + std::to_string(sigma), frame("gray10"));
        const Taps& taps = first(blur);
        const int radius = static_cast<int>(std::ceil(5 * sigma));
        ASSERT_EQ(taps.width, 2 * radius + 1);
        for (int x = 1; x <= radius; ++x)
            EXPECT_NEAR(taps.row[radius + x] / taps.row[radius],
                        std::exp(-x * x / (2 * sigma * sigma)), 1e-6);
    }
}

TEST(FiltersShapes, GaussianRadiusFollowsTheDepth) {
    EXPECT_EQ(first(convolution("gaussian=2", frame("gray"))).width, 15);
    EXPECT_EQ(first(convolution("gaussian=2", frame("gray10"))).width, 21);
    EXPECT_EQ(first(convolution("gaussian=2", frame("grayf32"))).width, 21);
    EXPECT_EQ(first(convolution("gaussian=2.1", frame("gray"))).width, 17);
    EXPECT_EQ(first(convolution("gaussian=2:radius=3", frame("gray10"))).width, 7);
    EXPECT_EQ(first(convolution("gaussian=1024", frame("gray"))).width, 7169);
    EXPECT_EQ(first(convolution("gaussian=1024", frame("gray10"))).width, 10241);
    EXPECT_EQ(first(convolution("gaussian=0", frame("gray"))).width, 1);
    EXPECT_EQ(first(convolution("gaussian=0:radius=5", frame("gray"))).width, 1);
    EXPECT_EQ(first(convolution("gaussian=2:sigmaV=4", frame("gray"))).height, 29);
    EXPECT_EQ(first(convolution("gaussian=2:sigmaV=0", frame("gray"))).height, 1);
}

TEST(FiltersShapes, GaussianPromisesItsSigmasUnlessItIsCut) {
    const Taps whole = first(convolution("gaussian=2:sigmaV=0.3", frame("gray")));
    EXPECT_EQ(whole.gaussian_x, 2);
    EXPECT_EQ(whole.gaussian_y, 0.3F);
    const Taps line = first(convolution("gblur=2:sigmaV=0", frame("gray")));
    EXPECT_EQ(line.gaussian_x, 2);
    EXPECT_EQ(line.gaussian_y, 0);
    const Taps cut = first(convolution("gaussian=2:radius=255", frame("gray")));
    EXPECT_EQ(cut.gaussian_x, 0);
    EXPECT_EQ(cut.gaussian_y, 0);
}

// The largest error of any picture from 0 to 1: it is 1 wherever the taps are too small, or
// wherever they are too large.
double largest_error(const Taps& taps, double sigma) {
    const std::vector<double> bell = oracle::gaussian(sigma);
    const int reach = static_cast<int>(bell.size() / 2);
    const auto factor = [](const std::vector<float>& factors, int anchor, int offset) {
        const int at = anchor + offset;
        return at >= 0 && at < std::ssize(factors) ? static_cast<double>(factors[at]) : 0.0;
    };
    double missing = 0;
    double added = 0;
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            const double short_by =
                bell[reach + y] * bell[reach + x] -
                factor(taps.column, taps.anchor_y, y) * factor(taps.row, taps.anchor_x, x);
            (short_by > 0 ? missing : added) += std::fabs(short_by);
        }
    return std::max(missing, added);
}

// Outside k sigma on an axis is erfc(k / √2) of the bell: 4.65e-4 for 3.5 and 5.73e-7 for 5. Both
// axes: 0.2372 of 255 levels, and 1.15e-6, to which the rounding of the factors adds 1.2e-7.
TEST(FiltersShapes, GaussianIsTheWholeOneForEveryPicture) {
    for (const double sigma : {0.3, 0.5, 0.9, 2.0, 7.3, 31.0, 73.0, 200.0}) {
        SCOPED_TRACE(sigma);
        const std::string step = "gaussian=" + std::to_string(sigma);
        EXPECT_LE(255 * largest_error(first(convolution(step, frame("gray"))), sigma), 0.2375);
        for (const char* deep : {"gray10", "grayf32"})
            EXPECT_LE(largest_error(first(convolution(step, frame(deep))), sigma), 1.27e-6);
    }
    // 3 sigma and 4 sigma, where it ended once.
    EXPECT_GE(255 * largest_error(first(convolution("gaussian=31:radius=93", frame("gray"))), 31),
              0.6);
    EXPECT_GE(largest_error(first(convolution("gaussian=31:radius=124", frame("gray10"))), 31),
              1e-4);
}

TEST(FiltersShapes, BoxesAreOnesAndAScale) {
    const Convolution box = convolution("box=width=4:height=3", frame("gray"));
    EXPECT_EQ(first(box).weights, std::vector<float>(12, 1.0F));
    EXPECT_EQ(box.components[0].scale, 1.0F / 12);
    EXPECT_EQ(first(convolution("box=255", frame("gray"))).width, 511);
    EXPECT_EQ(first(convolution("box=3:radius_y=1", frame("gray"))).height, 3);
    EXPECT_EQ(first(convolution("box=3:height=1", frame("gray"))).height, 1);
    EXPECT_EQ(first(convolution("box=1:power=2:height=1", frame("gray"))).row,
              (std::vector<float>{1, 2, 3, 2, 1}));
    EXPECT_EQ(convolution("box=1:power=2:height=1", frame("gray")).components[0].scale, 1.0F / 9);
}

TEST(FiltersShapes, MotionIsALineInDisplayDirection) {
    EXPECT_EQ(weights("motion=5:0"), std::vector<float>(5, 0.2F));
    EXPECT_EQ(first(convolution("motion=5:90", frame("gray"))).height, 5);
    EXPECT_EQ(first(convolution("motion=5:90", frame("gray"))).width, 1);
    EXPECT_EQ(weights("motion=1:0"), std::vector<float>(1, 1.0F));
    const Taps up_right = first(convolution("motion=9:45", frame("gray")));
    EXPECT_GT(at(up_right, 2, -2), 0.05);
    EXPECT_EQ(at(up_right, 2, 2), 0);
    EXPECT_EQ(first(convolution("motion=63:0", frame("gray"))).width, 63);
}

TEST(FiltersShapes, MotionHasTheRequestedLength) {
    for (int angle = 0; angle < 180; angle += 15) {
        const Taps taps = first(convolution("motion=21:" + std::to_string(angle), frame("gray")));
        double second_moment = 0;
        for (int dy = -31; dy <= 31; ++dy)
            for (int dx = -31; dx <= 31; ++dx)
                second_moment += at(taps, dx, dy) * (dx * dx + dy * dy);
        // A line of length L has the second moment L²/12; a pixel's width adds a little.
        EXPECT_NEAR(std::sqrt(12 * second_moment), 21, 0.6) << angle;
    }
}

TEST(FiltersShapes, DiscHasItsArea) {
    for (double radius : {0.5, 1.0, 2.5, 9.0, 31.0}) {
        const Taps taps = first(convolution("disc=" + std::to_string(radius), frame("gray")));
        const double area = std::numbers::pi * radius * radius;
        if (radius < 1) continue;  // no pixel is fully covered
        EXPECT_NEAR(1 / at(taps, 0, 0), area, 0.02 * area) << radius;
        EXPECT_EQ(taps.width, taps.height);
        EXPECT_LE(taps.width, 63);
    }
    EXPECT_EQ(first(convolution("disc=31", frame("gray"))).width, 63);
}

TEST(FiltersShapes, Sharpeners) {
    EXPECT_EQ(weights("sharpen"), (std::vector<float>{0, -1, 0, -1, 5, -1, 0, -1, 0}));
    EXPECT_EQ(weights("sharpen=0.5:neighbours=8"),
              (std::vector<float>{-.5, -.5, -.5, -.5, 5, -.5, -.5, -.5, -.5}));
    const float e = -1.0F / 16;
    EXPECT_EQ(weights("unsharp=3:3:1"),
              (std::vector<float>{e, 2 * e, e, 2 * e, 2 + 4 * e, 2 * e, e, 2 * e, e}));
}

TEST(FiltersShapes, UnsharpChromaIsItsOwn) {
    const Operation plain = test::make("unsharp=5:5:1.0:5:5:0.0", frame("yuv420p"));
    EXPECT_EQ(plain.selection.filtered, std::vector<Component>{Component::y});
    EXPECT_FALSE(plain.selection.neutral_chroma);
    const Operation both = test::make("unsharp=5:5:1.0:3:3:0.5", frame("yuva420p"));
    EXPECT_EQ(both.selection.filtered,
              (std::vector<Component>{Component::y, Component::u, Component::v}));
    const auto& components = std::get<Convolution>(both.compute).components;
    ASSERT_EQ(components.size(), 4U);
    EXPECT_EQ(components[0].taps[0].width, 5);
    EXPECT_EQ(components[1].taps[0].width, 3);
    EXPECT_EQ(components[2].taps[0].weights, components[1].taps[0].weights);
    EXPECT_EQ(test::make("unsharp=chroma_amount=1", frame("rgba")).selection.filtered.size(), 3U);
    EXPECT_EQ(test::make("unsharp=ca=1:planes=u", frame("yuv420p")).selection.filtered.size(), 1U);
}

TEST(FiltersShapes, Gradients) {
    EXPECT_EQ(weights("sobel", 0), (std::vector<float>{-1, 0, 1, -2, 0, 2, -1, 0, 1}));
    EXPECT_EQ(weights("sobel", 1), (std::vector<float>{-1, -2, -1, 0, 0, 0, 1, 2, 1}));
    EXPECT_EQ(weights("scharr", 0), (std::vector<float>{-3, 0, 3, -10, 0, 10, -3, 0, 3}));
    EXPECT_EQ(weights("prewitt", 1), (std::vector<float>{-1, -1, -1, 0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(weights("roberts", 0), (std::vector<float>{-1, 0, 0, 1}));
    EXPECT_EQ(weights("roberts", 1), (std::vector<float>{0, -1, 1, 0}));
    EXPECT_EQ(convolution("scharr=scale=2", frame("gray")).components[0].scale, 0.125F);
    EXPECT_EQ(convolution("sobel", frame("gray")).combine, Combine::magnitude);
    EXPECT_EQ(convolution("sobel=direction=y", frame("gray")).combine, Combine::single);
    EXPECT_EQ(weights("sobel=direction=y"), (std::vector<float>{-1, -2, -1, 0, 0, 0, 1, 2, 1}));
}

TEST(FiltersShapes, KirschHasEightDirections) {
    const Convolution kirsch = convolution("compass", frame("gray"));
    EXPECT_EQ(kirsch.combine, Combine::maximum);
    std::set<std::vector<float>> sets;
    for (const Taps& taps : kirsch.components[0].taps) {
        sets.insert(taps.weights);
        EXPECT_EQ(std::count(taps.weights.begin(), taps.weights.end(), 5.0F), 3);
        EXPECT_EQ(std::count(taps.weights.begin(), taps.weights.end(), -3.0F), 5);
        EXPECT_EQ(taps.weights[4], 0);
    }
    EXPECT_EQ(sets.size(), 8U);
    EXPECT_EQ(sets.count({-3, -3, 5, -3, 0, 5, -3, -3, 5}), 1U);
    EXPECT_EQ(sets.count({-3, 5, 5, -3, 0, 5, -3, -3, -3}), 1U);
}

TEST(FiltersShapes, RobinsonHasEightDirections) {
    const Convolution robinson = convolution("robinson", frame("gray"));
    EXPECT_EQ(robinson.combine, Combine::maximum);
    std::set<std::vector<float>> sets;
    for (const Taps& taps : robinson.components[0].taps) sets.insert(taps.weights);
    EXPECT_EQ(sets.size(), 8U);
    EXPECT_EQ(sets.count({-1, 0, 1, -2, 0, 2, -1, 0, 1}), 1U);
    EXPECT_EQ(sets.count({0, 1, 2, -1, 0, 1, -2, -1, 0}), 1U);
    EXPECT_EQ(sets.count({1, 2, 1, 0, 0, 0, -1, -2, -1}), 1U);
    EXPECT_EQ(sets.count({0, -1, -2, 1, 0, -1, 2, 1, 0}), 1U);
}

// Numbers from a script that shares no code with the filter: y up, cut at three sigma, the bell's
// share subtracted, scaled to Σ|w| = 2.
TEST(FiltersShapes, GaborIsAWaveUnderAGaussian) {
    struct Point {
        int x, y;
        double weight;
    };
    struct Row {
        const char* step;
        int width, height;
        std::vector<Point> points;
    };
    const std::vector<Row> rows = {{"gabor=absolute=0",
                                    19,
                                    37,
                                    {{0, 0, 0.0265993065},
                                     {3, 0, -0.0164587478},
                                     {0, 3, 0.0234738056},
                                     {2, -1, -0.0108204428},
                                     {-1, 2, 0.0117810142}}},
                                   {"gabor=2:5:30:0.8:90:absolute=0",
                                    13,
                                    15,
                                    {{0, 0, 0},
                                     {3, 0, 0.0044717618},
                                     {0, 3, 0.0423600139},
                                     {2, -1, -0.0179207189},
                                     {-1, 2, 0.0414929}}},
                                   {"gabor=1.5:4:90:1:45:absolute=0",
                                    9,
                                    9,
                                    {{0, 0, 0.134209343},
                                     {3, 0, 0.0181632595},
                                     {0, 3, -0.0205410686},
                                     {2, -1, -0.0499646182},
                                     {-1, 2, -0.0499646182}}}};
    for (const Row& row : rows) {
        const Taps taps = first(convolution(row.step, frame("gray")));
        EXPECT_EQ(taps.width, row.width) << row.step;
        EXPECT_EQ(taps.height, row.height) << row.step;
        for (const Point& p : row.points)
            EXPECT_NEAR(at(taps, p.x, p.y), p.weight, 1e-8) << row.step << p.x << "," << p.y;
    }
    EXPECT_EQ(convolution("gabor", frame("gray")).combine, Combine::maximum);
}

TEST(FiltersShapes, EmbossIsTheClassicAtMultiplesOf45) {
    EXPECT_EQ(weights("emboss"), (std::vector<float>{-2, -1, 0, -1, 0, 1, 0, 1, 2}));
    EXPECT_EQ(weights("emboss=180"), (std::vector<float>{-1, 0, 1, -2, 0, 2, -1, 0, 1}));
    EXPECT_EQ(weights("emboss=-180"), weights("emboss=180"));
    EXPECT_EQ(weights("emboss=315"), (std::vector<float>{2, 1, 0, 1, 0, -1, 0, -1, -2}));
}

TEST(FiltersShapes, SecondDerivatives) {
    EXPECT_EQ(weights("laplacian"), (std::vector<float>{0, 1, 0, 1, -4, 1, 0, 1, 0}));
    EXPECT_EQ(weights("laplacian", 1), (std::vector<float>{0, -1, 0, -1, 4, -1, 0, -1, 0}));
    EXPECT_EQ(convolution("laplacian", frame("gray")).combine, Combine::maximum);
    EXPECT_EQ(convolution("laplacian=absolute=0", frame("gray")).combine, Combine::single);
    const Taps log = first(convolution("log=2", frame("gray")));
    EXPECT_LT(at(log, 0, 0), 0);
    EXPECT_LT(at(log, 2, 0), 0);  // the zero is at sigma * sqrt(2) = 2.8
    EXPECT_GT(at(log, 3, 0), 0);
    const Taps dog = first(convolution("dog=1:2", frame("gray")));
    EXPECT_GT(at(dog, 0, 0), 0);
    EXPECT_LT(at(dog, 3, 0), 0);
}

TEST(FiltersShapes, HighpassIsThePictureLessItsBlur) {
    const Taps high = first(convolution("highpass=1.5", frame("gray")));
    const Taps blur = first(convolution("gaussian=1.5:radius=5", frame("gray")));
    ASSERT_EQ(high.width, blur.width);
    for (int dy = -5; dy <= 5; ++dy)
        for (int dx = -5; dx <= 5; ++dx)
            EXPECT_NEAR(at(high, dx, dy), (dx == 0 && dy == 0 ? 1 : 0) - at(blur, dx, dy), 1e-7);
}

}  // namespace
}  // namespace weft
