// Half precision and the taps that the tensor core rows take or refuse.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/common/half_bits.h"
#include "kernels/tensor/tensor_dense.h"
#include "kernels/tensor/tensor_f32.h"
#include "kernels/tensor/tensor_separable.h"
#include "tests/support/gpu_table.h"

namespace weft {

namespace {

ConvProblem problem_with(Taps taps, int channels = 1) {
    ConvProblem p;
    p.width = 640;
    p.height = 360;
    p.channels = channels;
    p.conv = {{.taps = {std::move(taps)}}};
    return p;
}

Taps filled(int side, float value) {
    return dense_taps(side, side, std::vector<float>(static_cast<std::size_t>(side) * side, value));
}

// Fractions that no single factor makes exact.
Taps uneven(int side, float value) {
    std::vector<float> weights;
    weights.reserve(static_cast<std::size_t>(side) * side);
    for (int k = 0; k < side * side; ++k)
        weights.push_back(value * (1.0F + static_cast<float>(k % 31) / 31.7F));
    return dense_taps(side, side, weights);
}

Taps factored(int width, int height, float value) {
    return separable_taps(std::vector<float>(static_cast<std::size_t>(width), value),
                          std::vector<float>(static_cast<std::size_t>(height), value));
}

}  // namespace

// Every half survives conversion to fp32 and back; values between two round to the nearer.
TEST(KernelsHalf, RoundsToTheNearest) {
    for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        ASSERT_EQ(half_bits(half_value(half)), half);
        ASSERT_EQ(half_bits(-half_value(half)), half | 0x8000);
        if (bits == 0x7BFF) break;
        const double low = half_value(half);
        const double high = half_value(static_cast<std::uint16_t>(bits + 1));
        const auto middle = static_cast<float>((low + high) / 2);
        ASSERT_EQ(half_bits(middle), bits % 2 == 0 ? bits : bits + 1) << "a tie goes to even";
        ASSERT_EQ(half_bits(std::nextafter(middle, 0.0F)), bits);
        ASSERT_EQ(half_bits(std::nextafter(middle, 1e9F)), bits + 1);
    }
    EXPECT_EQ(half_value(0x3C00), 1.0F);
    EXPECT_EQ(half_value(0x0001), std::ldexp(1.0F, -24));
    EXPECT_EQ(half_bits(65520.0F), 0x7C00) << "the tie above the largest becomes infinity";
    EXPECT_EQ(half_bits(-std::numeric_limits<float>::infinity()), 0xFC00);
    EXPECT_TRUE(std::isnan(half_value(half_bits(NAN))));
}

TEST(KernelsHalf, ScalesTapsToLoseLittle) {
    EXPECT_EQ(half_scale({1.0F, 2.0F, -3.0F}).factor, 1.0F) << "exact taps stay as they are";
    EXPECT_EQ(half_scale({1.0F, 2.0F, -3.0F}).lost, 0.0);
    const std::vector<float> thirds(9, 1.0F / 9.0F);
    const HalfScale best = half_scale(thirds);
    EXPECT_GT(best.factor, 1.0F);
    EXPECT_LE(best.lost, std::ldexp(1.0, -11)) << "unit roundoff times the sum of the taps";
    EXPECT_EQ(half_scale({0.0F}).lost, 0.0);
}

TEST(KernelsTensorDense, TakesWhatItKeepsExactOrWithinAStep) {
    EXPECT_EQ(why_not_tensor_dense(problem_with(filled(63, 1.0F)), test::h200()), "");
    EXPECT_EQ(why_not_tensor_dense(problem_with(uneven(15, 1.0F / 225)), test::h200()), "");
    EXPECT_EQ(why_not_tensor_dense(problem_with(filled(3, 2048.0F)), test::h200()), "");
    EXPECT_THAT(why_not_tensor_dense(problem_with(filled(3, 2049.0F)), test::h200()),
                testing::HasSubstr("whole numbers beyond"));
    EXPECT_THAT(why_not_tensor_dense(problem_with(uneven(15, 0.1F)), test::h200()),
                testing::HasSubstr("could move a result by"));
    EXPECT_THAT(why_not_tensor_dense(problem_with(filled(3, 1.0F), 3), test::h200()),
                testing::HasSubstr("not 3"));
}

// Samples of 12 bits less their middle are the most that half precision holds.
TEST(KernelsTensorDense, TakesUpToTwelveBits) {
    ConvProblem p = problem_with(uneven(15, 1.0F / 400));
    p.type = PixelType::u16;
    for (const float max : {255.0F, 1023.0F, 4095.0F}) {
        p.max_value = max;
        EXPECT_EQ(why_not_tensor_dense(p, test::h200()), "");
    }
    for (const float max : {127.0F, 4096.0F, 65535.0F}) {
        p.max_value = max;
        EXPECT_EQ(why_not_tensor_dense(p, test::h200()), "it takes pixels of 8 to 12 bits");
    }
    p.max_value = 1023.0F;
    EXPECT_EQ(lay_out_tensor_dense(p, test::h200()).args.tile.middle_of_words, 0xED80ED80U)
        << "-5632";
    p.type = PixelType::f32;
    EXPECT_EQ(why_not_tensor_dense(p, test::h200()), "it takes 8-bit and 16-bit pixels");
}

// A copied channel would come back rounded, and so would large whole numbers.
TEST(KernelsTensorF32, LeavesWholeNumbersToOthers) {
    ConvProblem p = problem_with(uneven(15, 0.01F), 2);
    p.type = PixelType::f32;
    EXPECT_EQ(why_not_tensor_f32(p, test::h200()), "");
    p.conv.push_back({.taps = {padded_taps(identity_taps(), 15, 15, 7, 7)}});
    EXPECT_THAT(why_not_tensor_f32(p, test::h200()), testing::HasSubstr("copied channels"));
    p.conv = {{.taps = {filled(15, 3.0F)}}};
    EXPECT_THAT(why_not_tensor_f32(p, test::h200()), testing::HasSubstr("whole numbers"));
}

// The scale counts too: scaling up small sums also scales their errors.
TEST(KernelsTensorDense, CountsTheScale) {
    ConvProblem p = problem_with(uneven(3, 0.1F));
    EXPECT_EQ(why_not_tensor_dense(p, test::h200()), "");
    p.conv.front().scale = 100.0F;
    EXPECT_THAT(why_not_tensor_dense(p, test::h200()),
                testing::HasSubstr("could move a result by"));
}

TEST(KernelsTensorSeparable, TakesWhatItKeepsExactOrWithinAStep) {
    EXPECT_EQ(why_not_tensor_separable(problem_with(factored(113, 113, 0.0088F))), "");
    EXPECT_EQ(why_not_tensor_separable(problem_with(factored(49, 49, 0.0204F), 4)), "");
    EXPECT_EQ(why_not_tensor_separable(problem_with(factored(49, 49, 0.0204F), 3)), "");
    EXPECT_EQ(why_not_tensor_separable(problem_with(factored(113, 113, 1.0F))), "");
    EXPECT_EQ(why_not_tensor_separable(problem_with(factored(2, 2, 64.0F))), "")
        << "257 · 255 is the most that two bytes hold";
    EXPECT_THAT(why_not_tensor_separable(problem_with(factored(5, 5, 52.0F))),
                testing::HasSubstr("sums of a row"))
        << "five times 52 is more";
    EXPECT_THAT(why_not_tensor_separable(problem_with(factored(5, 5, 101.0F))),
                testing::HasSubstr("sums of a row"));
    EXPECT_THAT(why_not_tensor_separable(problem_with(factored(3, 3, 127.0F))),
                testing::HasSubstr("sums of a row"));
    EXPECT_THAT(why_not_tensor_separable(problem_with(factored(5, 115, 0.0088F))),
                testing::HasSubstr("up to 113 factors a side"));
    EXPECT_EQ(why_not_tensor_separable(problem_with(factored(113, 113, 0.0088F), 4)), "");
    EXPECT_THAT(why_not_tensor_separable(problem_with(filled(3, 1.0F))),
                testing::HasSubstr("row times a column"));
}

// Channels that are copied need no bands of their own; two filters do.
TEST(KernelsTensorSeparable, LeavesChannelsAlone) {
    const std::vector<float> one = {0, 0, 1, 0, 0};
    ConvProblem p = problem_with(factored(5, 5, 0.2F), 4);
    p.conv.assign(4, p.conv.front());
    p.conv[3] = {.taps = {separable_taps(one, one)}};
    ASSERT_EQ(why_not_tensor_separable(p), "");
    EXPECT_EQ(lay_out_tensor_separable(p).args.kept, 0xFF000000U);
    p.conv[0] = p.conv[3];
    EXPECT_EQ(lay_out_tensor_separable(p).args.kept, 0xFF0000FFU);
    p.conv[1].scale = 2.0F;
    EXPECT_THAT(why_not_tensor_separable(p), testing::HasSubstr("the same factors"));
    p = problem_with(factored(5, 5, 0.2F), 3);
    p.conv.assign(3, p.conv.front());
    p.conv[1] = {.taps = {separable_taps(one, one)}};
    EXPECT_THAT(why_not_tensor_separable(p), testing::HasSubstr("2 or 4, not 3"));
}

// Every step belongs to one strip, and large images fill the multiprocessors.
TEST(KernelsTensorSeparable, CutsStrips) {
    for (const int height : {1, 16, 17, 720, 2160, 65535}) {
        ConvProblem p = problem_with(factored(15, 15, 0.0666F));
        p.height = height;
        TensorSeparableLayout layout = lay_out_tensor_separable(p);
        cut_strips(132, 4, layout);
        const TensorSeparableArgs& a = layout.args;
        EXPECT_GE(a.steps * a.strips * kStripRows, height);
        EXPECT_LT(a.steps * (a.strips - 1) * kStripRows, height);
    }
}

// A channel of whole numbers stays exact next to one of fractions.
TEST(KernelsTensorLayout, ScalesChannelsApart) {
    ConvProblem p = problem_with(filled(3, 3.0F), 2);
    p.conv.push_back({.taps = {uneven(3, 0.1F)}});
    const TensorLayout layout = lay_out_tensor_dense(p, test::h200());
    EXPECT_EQ(layout.args.inverse[0][0], 1.0F);
    EXPECT_LT(layout.args.inverse[0][1], 1.0F);
    EXPECT_EQ(layout.args.start[0][0], 128.0F * 27);
}

// The multiplication that replaces the division is exact for every item of every tile.
TEST(KernelsTensorLayout, FindsSegmentsWithoutDividing) {
    for (int segments = 1; segments <= 64; ++segments) {
        const int reciprocal = ((1 << kReciprocalBits) + segments - 1) / segments;
        for (int item = 0; item < 128 * segments && item < 16384; ++item)
            ASSERT_EQ(item * static_cast<std::int64_t>(reciprocal) >> kReciprocalBits,
                      item / segments)
                << item << " of rows of " << segments;
    }
}

// The minimum is a pair of chunks, and wide bands have whole pairs.
TEST(KernelsTensorLayout, CountsChunks) {
    struct Row {
        int width, channels, chunks, unrolled;
    };
    for (const Row& row :
         {Row{1, 1, 2, 2}, Row{9, 1, 2, 2}, Row{10, 1, 3, 3}, Row{17, 1, 3, 3}, Row{33, 1, 5, 5},
          Row{34, 1, 6, 0}, Row{42, 1, 8, 0}, Row{9, 4, 5, 5}, Row{63, 4, 32, 0}}) {
        const ConvProblem p = problem_with(
            dense_taps(row.width, 1, std::vector<float>(static_cast<std::size_t>(row.width), 1)),
            row.channels);
        const TensorLayout layout = lay_out_tensor_dense(p, test::h200());
        EXPECT_EQ(layout.args.chunks, row.chunks) << row.width;
        EXPECT_EQ(unrolled_chunks(layout.args.chunks), row.unrolled) << row.width;
        EXPECT_EQ(layout.bands.size(), static_cast<std::size_t>(row.chunks) * 32) << row.width;
        EXPECT_EQ(layout.args.tile.pitch % 2, 1) << "ldmatrix would meet banks twice";
        EXPECT_GE(layout.args.tile.segments * 16, kTensorBlockSamples + 8 * (row.chunks - 1));
    }
}

}  // namespace weft
