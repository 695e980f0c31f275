// Taps as planes of bytes, and the refusals of tensor_int8.
#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/tensor/tensor_int8.h"

namespace weft {

namespace {

ConvProblem problem_with(Taps taps) {
    ConvProblem p;
    p.width = 640;
    p.height = 360;
    p.conv = {{.taps = {std::move(taps)}}};
    return p;
}

Taps filled(int width, int height, float value) {
    return dense_taps(width, height,
                      std::vector<float>(static_cast<std::size_t>(width) * height, value));
}

std::vector<float> random_weights(int count, float largest) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> weight(-0.4F * largest, largest);
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& w : out) w = weight(random);
    return out;
}

}  // namespace

TEST(KernelsByteTaps, KeepWholeNumbers) {
    const ByteTaps taps = byte_taps({-127.0F, 0.0F, 3.0F, 127.0F}, 0.1F);
    EXPECT_THAT(taps.upper, testing::ElementsAre(-127, 0, 3, 127));
    EXPECT_TRUE(taps.lower.empty());
    EXPECT_EQ(taps.unit, 1.0);
    EXPECT_EQ(taps.error, 0.0);
}

// Both planes together give the tap to within half a step, and the stated error includes the sum of
// all losses.
TEST(KernelsByteTaps, SplitFractionsIntoTwoPlanes) {
    for (const int count : {1, 9, 81, 961, 3969}) {
        const std::vector<float> weights = random_weights(count, 0.7F);
        const ByteTaps taps = byte_taps(weights, 1.0F / 3.0F);
        const double step = taps.unit / 128.0;
        double lost = 0;
        int upper_sum = 0;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            ASSERT_GE(taps.lower[k], -64);
            ASSERT_LE(taps.lower[k], 63);
            const double both = (128.0 * taps.upper[k] + taps.lower[k]) * step;
            ASSERT_LE(std::fabs(both - weights[k]), 0.5000001 * step);
            lost += std::fabs(both - weights[k]);
            upper_sum += std::abs(taps.upper[k]);
        }
        EXPECT_LE(255 * upper_sum, (1 << 22) - 1) << "sums must stay below 2^22";
        EXPECT_NEAR(taps.error, 255.0 * lost + 0.79 * taps.unit, 1e-9);
    }
}

// The product with the start value must be exact: eleven bits and two.
TEST(KernelsByteTaps, GiveAShortGain) {
    for (const float scale : {1.0F, 1.0F / 3.0F, -0.7F, 1e-3F, 41.0F}) {
        const ByteTaps taps = byte_taps(random_weights(25, 0.3F), scale);
        const auto gain = static_cast<float>(taps.unit * scale);
        const float bias = -kInt8Magic * gain;
        EXPECT_EQ(bias, -static_cast<double>(kInt8Magic) * gain) << scale;
    }
}

TEST(KernelsTensorInt8, TakesWhatItKeepsExactOrWithinAStep) {
    EXPECT_EQ(why_not_tensor_int8(problem_with(filled(63, 63, 1.0F))), "");
    EXPECT_EQ(why_not_tensor_int8(problem_with(dense_taps(31, 31, random_weights(961, 0.01F)))),
              "");
    EXPECT_THAT(why_not_tensor_int8(problem_with(filled(3, 3, 128.0F))),
                testing::HasSubstr("whole numbers beyond ±127"));
    std::vector<float> one_large = random_weights(225, 0.001F);
    one_large[112] = 2.0F;
    EXPECT_THAT(why_not_tensor_int8(problem_with(dense_taps(15, 15, one_large))),
                testing::HasSubstr("too large compared with the others"));
    ConvProblem p = problem_with(filled(3, 3, 1.0F));
    p.channels = 3;
    EXPECT_EQ(why_not_tensor_int8(p), "");
    p.conv.assign(3, p.conv.front());
    EXPECT_EQ(why_not_tensor_int8(p), "it takes the same taps for all channels");
    p.conv.resize(1);
    p.channels = 1;
    p.type = PixelType::u16;
    EXPECT_EQ(why_not_tensor_int8(p), "it takes 8-bit pixels");
}

// Scaling up small sums also scales their errors.
TEST(KernelsTensorInt8, CountsTheScale) {
    ConvProblem p = problem_with(dense_taps(5, 5, random_weights(25, 0.1F)));
    EXPECT_EQ(why_not_tensor_int8(p), "");
    p.conv.front().scale = 1000.0F;
    EXPECT_THAT(why_not_tensor_int8(p), testing::HasSubstr("could move a result by"));
}

// What Int8Sums::plain_magnitude relies on, for a root that is four times as far off as it may be.
TEST(KernelsTensorInt8, RoundsRootsOfWholeNumbersFromAFar) {
    for (int n = 0; n <= 256 * 256; ++n) {
        const double root = std::sqrt(static_cast<double>(n));
        const double off = std::ldexp(root, -21);
        ASSERT_EQ(std::nearbyint(root - off), std::nearbyint(root + off)) << n;
    }
}

TEST(KernelsTensorInt8, TakesMagnitudesOfSmallWholeNumbers) {
    ConvProblem p = problem_with(filled(3, 3, 1.0F));
    p.combine = Combine::magnitude;
    p.conv.front().taps.push_back(filled(3, 3, -1.0F));
    EXPECT_EQ(why_not_tensor_int8(p), "");
    EXPECT_EQ(lay_out_tensor_int8(p).sums, Int8Sums::plain_magnitude);
    p.conv.front().scale = 0.25F;
    EXPECT_EQ(lay_out_tensor_int8(p).sums, Int8Sums::magnitude);
    p.conv.front().taps[1] = filled(3, 3, 0.5F);
    EXPECT_THAT(why_not_tensor_int8(p), testing::HasSubstr("magnitudes of whole numbers"));
}

// Whether taps are narrow depends on the window that begins at a word, so on the anchor too.
TEST(KernelsTensorInt8, ChoosesTheVariant) {
    struct Row {
        int width, height, anchor, narrow_rows, halves;
    };
    for (const Row& row :
         {Row{3, 3, 1, 3, 0}, Row{1, 1, 0, 3, 0}, Row{9, 9, 4, 9, 0}, Row{9, 6, 4, 7, 0},
          Row{9, 9, 0, 9, 0}, Row{9, 9, 1, 0, 3}, Row{5, 10, 2, 0, 3}, Row{17, 17, 8, 0, 3},
          Row{18, 18, 9, 0, 4}, Row{31, 31, 15, 0, 5}, Row{35, 35, 17, 0, 6}, Row{49, 49, 24, 0, 8},
          Row{63, 63, 31, 0, 10}, Row{63, 1, 1, 0, 10}}) {
        Taps taps = filled(row.width, row.height, 1.0F);
        taps.anchor_x = row.anchor;
        const Int8Layout layout = lay_out_tensor_int8(problem_with(taps));
        EXPECT_EQ(layout.narrow_rows, row.narrow_rows) << row.width << " anchor " << row.anchor;
        EXPECT_EQ(layout.halves, row.halves) << row.width << " anchor " << row.anchor;
    }
}

// The steps minimise the time of the busiest multiprocessor without reducing its resident blocks.
TEST(KernelsTensorInt8, ChoosesTheSteps) {
    struct Row {
        int width, height, multiprocessors, most_bytes, steps;
    };
    for (const Row& row : {Row{3840, 2160, 132, 1 << 20, 2}, Row{3840, 2160, 132, 14400, 2},
                           Row{256, 16, 132, 1 << 20, 1}, Row{640, 360, 132, 1 << 20, 1},
                           Row{3840, 2160, 1, 1 << 20, 15}}) {
        ConvProblem p = problem_with(filled(3, 3, 1.0F));
        p.width = row.width;
        p.height = row.height;
        const auto fits = [&](int bytes) { return bytes > row.most_bytes ? 0 : 7; };
        EXPECT_EQ(best_steps(lay_out_tensor_int8(p), {row.multiprocessors, fits}), row.steps)
            << row.width << " × " << row.height << ", " << row.most_bytes;
    }
}

// Separated channels: as many narrow tap rows as there are, and windows in pixels.
TEST(KernelsTensorInt8, SeparatesChannels) {
    struct Row {
        int channels, width, height, separated, narrow_rows, halves;
    };
    for (const Row& row : {Row{3, 3, 3, 1, 3, 0}, Row{4, 3, 9, 1, 9, 0}, Row{2, 9, 9, 1, 0, 3},
                           Row{3, 4, 1, 3, 5, 0}, Row{4, 9, 9, 4, 9, 0}, Row{4, 9, 10, 4, 0, 3},
                           Row{3, 31, 31, 3, 0, 5}, Row{4, 49, 3, 4, 0, 8}}) {
        ConvProblem p = problem_with(filled(row.width, row.height, 1.0F));
        p.channels = row.channels;
        ASSERT_EQ(why_not_tensor_int8(p), "");
        const Int8Layout layout = lay_out_tensor_int8(p);
        EXPECT_EQ(layout.channels, row.separated) << row.width << "×" << row.height;
        EXPECT_EQ(layout.narrow_rows, row.narrow_rows) << row.width << "×" << row.height;
        EXPECT_EQ(layout.halves, row.halves) << row.width << "×" << row.height;
        EXPECT_LE(layout.args.tile.vectors, 32) << "a lane copies one";
    }
    ConvProblem p = problem_with(filled(50, 3, 1.0F));
    p.channels = 3;
    EXPECT_THAT(why_not_tensor_int8(p), testing::HasSubstr("49 in three and four"));
}

// The grid's second dimension is at most 65,535.
TEST(KernelsTensorInt8, TakesAsManyStepsAsAHighImageNeeds) {
    ConvProblem p = problem_with(filled(3, 3, 1.0F));
    p.width = 1;
    p.height = ConvProblem::kMaxSide;
    const Int8Layout layout = lay_out_tensor_int8(p);
    const int steps = best_steps(layout, {132, [](int) { return 7; }});
    EXPECT_LE((layout.steps_y + steps - 1) / steps, 65535);
}

// Fractions that two planes hold exactly, because inexact ones would be refused earlier: multiples
// of 2^-11, the largest as large as steps of 2^-4 allow.
TEST(KernelsTensorInt8, RefusesWhatSharedMemoryDoesNotHold) {
    const auto fractions = [](int side) {
        Taps taps = filled(side, side, 385.0F / 2048.0F);
        taps.weights.front() = (127.0F + 63.0F / 128.0F) / 16.0F;
        return problem_with(std::move(taps));
    };
    EXPECT_EQ(why_not_tensor_int8(fractions(47)), "");
    EXPECT_THAT(why_not_tensor_int8(fractions(63)), testing::HasSubstr("99 KiB of shared memory"));
}

}  // namespace weft
