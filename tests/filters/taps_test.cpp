#include "filters/taps.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "filters/made_taps.h"
#include "tests/filters/frames.h"

namespace weft {
namespace {

using test::at;

TEST(FiltersTaps, AnchorIsTheMiddleRoundedDown) {
    EXPECT_EQ(dense_taps(3, 3, std::vector<float>(9)).anchor_x, 1);
    EXPECT_EQ(dense_taps(2, 4, std::vector<float>(8)).anchor_x, 0);
    EXPECT_EQ(dense_taps(2, 4, std::vector<float>(8)).anchor_y, 1);
    EXPECT_EQ(separable_taps(std::vector<float>(511), {1}).anchor_x, 255);
}

TEST(FiltersTaps, RefusesWhatKernelsCannotTake) {
    EXPECT_THROW(dense_taps(0, 1, {}), std::invalid_argument);
    EXPECT_THROW(dense_taps(64, 1, std::vector<float>(64)), std::invalid_argument);
    EXPECT_THROW(dense_taps(1, 64, std::vector<float>(64)), std::invalid_argument);
    EXPECT_THROW(dense_taps(2, 2, std::vector<float>(3)), std::invalid_argument);
    EXPECT_THROW(separable_taps({}, {1}), std::invalid_argument);
    EXPECT_THROW(separable_taps(std::vector<float>(10242), {1}), std::invalid_argument);
    EXPECT_THROW(padded_taps(dense_taps(3, 3, std::vector<float>(9)), 3, 3, 0, 0),
                 std::invalid_argument);
    EXPECT_THROW(padded_taps(dense_taps(2, 2, {1, 2, 3, 4}), 65, 3, 1, 1), std::invalid_argument);
    EXPECT_THROW(padded_taps(identity_taps(), 10242, 1, 0, 0), std::invalid_argument);
    EXPECT_THROW(rotated_taps(identity_taps(), 45), std::invalid_argument);
}

TEST(FiltersTaps, SeparableTapsAreColumnTimesRow) {
    const Taps taps = separable_taps({1, 2, 4}, {3, 5});
    EXPECT_EQ(taps.weights, (std::vector<float>{3, 6, 12, 5, 10, 20}));
    EXPECT_TRUE(separable_taps(std::vector<float>(63), std::vector<float>(63)).dense());
    EXPECT_FALSE(separable_taps(std::vector<float>(64), {1}).dense());
}

TEST(FiltersTaps, PaddingMovesNoWeight) {
    const Taps taps = dense_taps(2, 3, {1, 2, 3, 4, 5, 6});
    for (int left = 0; left < 3; ++left)
        for (int top = 0; top < 3; ++top) {
            const Taps padded = padded_taps(taps, 4, 5, taps.anchor_x + left, taps.anchor_y + top);
            EXPECT_EQ(padded.weights.size(), 20U);
            for (int dy = -4; dy <= 4; ++dy)
                for (int dx = -4; dx <= 4; ++dx)
                    EXPECT_EQ(at(padded, dx, dy), at(taps, dx, dy)) << left << ' ' << top;
        }
}

TEST(FiltersTaps, IdentityCanAccompanyTheWidestBlur) {
    const Taps padded = padded_taps(identity_taps(), 481, 481, 240, 240);
    EXPECT_FALSE(padded.dense());
    EXPECT_EQ(at(padded, 0, 0), 1);
    EXPECT_EQ(at(padded, 1, 0), 0);
    EXPECT_EQ(absolute_sum(padded), 1);
    const Taps small = padded_taps(identity_taps(), 5, 3, 2, 1);
    EXPECT_TRUE(small.separable());
    EXPECT_EQ(small.weights.size(), 15U);
    EXPECT_EQ(padded_taps(identity_taps(), 10241, 1, 5120, 0).row[5120], 1);
}

TEST(FiltersTaps, KeepTheSigmasOfTheirGaussian) {
    const Taps taps = gaussian_taps(1024, 0.5, 5120, 3);
    EXPECT_EQ(taps.width, 10241);
    EXPECT_EQ(taps.height, 7);
    EXPECT_EQ(taps.gaussian_x, 1024);
    EXPECT_EQ(taps.gaussian_y, 0.5F);
    // By the definition: exp(-1²/2σ²) = exp(-2) of the middle one pixel away.
    EXPECT_NEAR(taps.column[4] / taps.column[3], std::exp(-2.0), 1e-7);
    EXPECT_NEAR(absolute_sum(taps), 1, 1e-6);
    const Taps turned = rotated_taps(taps, 90);
    EXPECT_EQ(turned.gaussian_x, 0.5F);
    EXPECT_EQ(turned.gaussian_y, 1024);
    const Taps padded = padded_taps(turned, 9, 10241, 4, 5120);
    EXPECT_EQ(padded.gaussian_x, 0.5F);
    EXPECT_EQ(padded.gaussian_y, 1024);
    EXPECT_EQ(negated(padded).gaussian_x, 0);
    EXPECT_EQ(negated(padded).gaussian_y, 0);
    Taps other = padded;
    other.gaussian_x = 0;
    EXPECT_FALSE(other == padded);
}

// Offset by offset, against the definition: counter-clockwise with y down, (dx, dy) -> (dy, -dx).
TEST(FiltersTaps, QuarterTurnsMoveEveryOffset) {
    const Taps taps = padded_taps(dense_taps(3, 2, {1, 2, 3, 4, 5, 6}), 4, 2, 1, 0);
    for (int turns = -4; turns <= 4; ++turns) {
        const Taps rotated = rotated_taps(taps, 90 * turns);
        for (int dy = -4; dy <= 4; ++dy)
            for (int dx = -4; dx <= 4; ++dx) {
                int x = dx;
                int y = dy;
                for (int k = 0; k < (turns + 4) % 4; ++k) {
                    const int old_x = x;
                    x = y;
                    y = -old_x;
                }
                EXPECT_EQ(at(rotated, x, y), at(taps, dx, dy)) << turns;
            }
    }
}

TEST(FiltersTaps, FactorsTurnAlong) {
    const Taps taps = separable_taps({1, 2, 3, 4}, {5, 7, 11});
    for (int degrees : {90, 180, 270}) {
        const Taps rotated = rotated_taps(taps, degrees);
        for (int y = 0; y < rotated.height; ++y)
            for (int x = 0; x < rotated.width; ++x)
                EXPECT_EQ(rotated.weights[y * rotated.width + x],
                          rotated.column[y] * rotated.row[x]);
    }
    const Taps wide = rotated_taps(separable_taps(std::vector<float>(100, 2.0F), {1, 3}), 90);
    EXPECT_EQ(wide.width, 2);
    EXPECT_EQ(wide.height, 100);
    EXPECT_FALSE(wide.dense());
}

TEST(FiltersTaps, WholeNumbersAndSums) {
    EXPECT_TRUE(integer_valued(dense_taps(2, 1, {-3, 16777216})));
    EXPECT_FALSE(integer_valued(dense_taps(2, 1, {1, 0.5})));
    EXPECT_TRUE(integer_valued(separable_taps(std::vector<float>(100, 2.0F), {1})));
    EXPECT_FALSE(integer_valued(separable_taps(std::vector<float>(100, 2.0F), {0.5})));
    EXPECT_EQ(absolute_sum(dense_taps(2, 2, {-1, 2, -3, 4})), 10);
    EXPECT_EQ(absolute_sum(separable_taps(std::vector<float>(100, -2.0F), {1, 3})), 800);
}

TEST(FiltersRankOne, FindsFactorsOfWholeMatrices) {
    const Taps taps = with_factors(dense_taps(3, 3, {6, 12, -6, 0, 0, 0, -4, -8, 4}));
    ASSERT_TRUE(taps.separable());
    EXPECT_TRUE(integer_valued(taps));
    for (float w : taps.row) EXPECT_EQ(w, std::nearbyint(w));
    for (float w : taps.column) EXPECT_EQ(w, std::nearbyint(w));
    for (int k = 0; k < 9; ++k) EXPECT_EQ(taps.column[k / 3] * taps.row[k % 3], taps.weights[k]);
}

TEST(FiltersRankOne, FractionsWithinOneRounding) {
    std::vector<float> weights;
    for (double y : {0.1, 0.7, 0.2})
        for (double x : {0.3, 0.45, 0.25}) weights.push_back(static_cast<float>(x * y));
    const Taps taps = with_factors(dense_taps(3, 3, weights));
    ASSERT_TRUE(taps.separable());
    for (int k = 0; k < 9; ++k)
        EXPECT_LE(std::fabs(taps.column[k / 3] * taps.row[k % 3] - weights[k]),
                  std::fabs(weights[k]) * std::numeric_limits<float>::epsilon());
}

TEST(FiltersRankOne, LeavesOthersAlone) {
    EXPECT_FALSE(with_factors(dense_taps(3, 3, {0, -1, 0, -1, 5, -1, 0, -1, 0})).separable());
    EXPECT_FALSE(with_factors(dense_taps(2, 2, {0, 0, 0, 0})).separable());
    EXPECT_FALSE(with_factors(dense_taps(2, 2, {1, 0, 0, 1})).separable());
    EXPECT_FALSE(with_factors(dense_taps(2, 2, {1e9F, 1, 1, 0})).separable());
    EXPECT_TRUE(with_factors(dense_taps(1, 1, {7})).separable());
    EXPECT_TRUE(with_factors(dense_taps(3, 1, {1, 0, -5})).separable());
}

}  // namespace
}  // namespace weft
