// The oracle against numbers worked out by hand.
#include "tests/support/oracle.h"

#include <cmath>

#include <gtest/gtest.h>

using oracle::Edge;

TEST(KernelsOracle, EdgesMatchTheDrawings) {
    struct Row {
        Edge edge;
        std::vector<int> sources;  // of positions -4 … 6 in an image of three
    };
    const Row rows[] = {
        {Edge::reflect101, {0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2}},
        {Edge::reflect, {2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0}},
        {Edge::replicate, {0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2}},
        {Edge::wrap, {2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0}},
        {Edge::ffmpeg, {1, 2, 2, 1, 0, 1, 2, 2, 1, 0, 1}},
        {Edge::ffmpeg_backwards, {1, 2, 1, 0, 0, 1, 2, 1, 0, 0, 1}},
        {Edge::constant, {-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1}},
    };
    for (const Row& row : rows)
        for (int i = 0; i < 11; ++i)
            EXPECT_EQ(oracle::edge_source(i - 4, 3, row.edge), row.sources[i])
                << "edge " << static_cast<int>(row.edge) << ", position " << i - 4;
    EXPECT_EQ(oracle::edge_source(5, 1, Edge::reflect101), 0);
}

TEST(KernelsOracle, RoundsHalvesToEven) {
    EXPECT_EQ(oracle::round_half_even(0.5), 0);
    EXPECT_EQ(oracle::round_half_even(1.5), 2);
    EXPECT_EQ(oracle::round_half_even(2.5), 2);
    EXPECT_EQ(oracle::round_half_even(-0.5), 0);
    EXPECT_EQ(oracle::round_half_even(-1.5), -2);
    EXPECT_EQ(oracle::round_half_even(2.4999), 2);
}

// Of sigma 1: exp(-x² / 2) / sqrt(2π), whose sum over the whole numbers is 1 within 6e-9.
TEST(KernelsOracle, GaussianIsTheBell) {
    const std::vector<double> bell = oracle::gaussian(1);
    ASSERT_EQ(bell.size(), 17U);
    EXPECT_NEAR(bell[8], 0.3989422804, 1e-8);
    EXPECT_NEAR(bell[9], 0.2419707245, 1e-8);
    EXPECT_NEAR(bell[5], 0.0044318484, 1e-8);
    EXPECT_EQ(bell[3], bell[13]);
    EXPECT_EQ(oracle::gaussian(0.3).size(), 7U);
}

TEST(KernelsOracle, CorrelatesWithoutFlip) {
    oracle::Problem p{.image = {3, 2, 1, {1, 2, 3, 4, 5, 6}}, .channels = {{}}};
    p.edge_x = p.edge_y = Edge::constant;
    p.edge_value = 10;
    p.channels[0].matrices = {
        {.width = 2, .height = 2, .anchor_x = 0, .anchor_y = 0, .weights = {1, 2, 3, 4}}};
    const oracle::Answer answer = oracle::convolve(p);
    // 1*1+2*2+3*4+4*5, …; right column and bottom row see the constant.
    EXPECT_EQ(answer.want.samples, (std::vector<double>{37, 47, 81, 84, 87, 96}));
    EXPECT_TRUE(answer.exact(0));
    EXPECT_FALSE(answer.accepts(0, 38));
    EXPECT_FALSE(answer.accepts(0, NAN));
}

TEST(KernelsOracle, AddsChannelsUp) {
    oracle::Problem p{.image = {2, 1, 2, {1, 2, 3, 4}}, .channels = {{}, {}}};
    p.sums_channels = true;
    p.channels[0].matrices = {{.width = 1, .height = 1, .weights = {10}}};
    p.channels[1].matrices = {{.width = 1, .height = 1, .weights = {-1}}};
    p.channels[0].bias = 100;
    p.channels[1].bias = 1e6;
    const oracle::Answer answer = oracle::convolve(p);
    EXPECT_EQ(answer.want.channels, 1);
    EXPECT_EQ(answer.want.samples, (std::vector<double>{108, 126}));
}

TEST(KernelsOracle, FactorsAreColumnTimesRow) {
    oracle::Problem p{.image = {2, 2, 1, {1, 2, 3, 4}}, .channels = {{}}};
    p.edge_x = p.edge_y = Edge::constant;
    p.channels[0].matrices = {
        {.width = 2, .height = 2, .weights = {}, .row = {1, 2}, .column = {10, 1}}};
    EXPECT_EQ(oracle::convolve(p).want.samples, (std::vector<double>{61, 24, 110, 40}));
}

TEST(KernelsOracle, AcceptsMagnitudesWhoseSquaresUnderflow) {
    for (const float sample : {0.0F, 3e-38F, 5e-23F, 4e-20F, 1e-10F}) {
        oracle::Problem p{.image = {1, 1, 1, {sample}}, .channels = {{}}, .rounded = false};
        p.combination = oracle::Combination::magnitude;
        p.channels[0].matrices = {{.width = 1, .height = 1, .weights = {1}},
                                  {.width = 1, .height = 1, .weights = {-1.5}}};
        const oracle::Answer answer = oracle::convolve(p);
        const float squared = 1.5F * sample * (1.5F * sample);
        const float in_fp32 = std::sqrt(std::fma(sample, sample, squared));
        EXPECT_TRUE(answer.accepts(0, in_fp32)) << sample << ": " << in_fp32;
        // The allowance for underflow is no allowance for pictures.
        if (sample > 1e-12F) {
            EXPECT_FALSE(answer.accepts(0, 1.00001 * in_fp32)) << sample;
        }
    }
}

TEST(KernelsOracle, AcceptsOneStepOnlyNextToATie) {
    const oracle::Interval clear = oracle::finished(7.4, 0.01, true, 255);
    EXPECT_EQ(clear.low, 7);
    EXPECT_EQ(clear.high, 7);
    const oracle::Interval tie = oracle::finished(7.499, 0.01, true, 255);
    EXPECT_EQ(tie.low, 7);
    EXPECT_EQ(tie.high, 8);
    EXPECT_EQ(oracle::finished(300.0, 0.0, true, 255).want, 255);
    EXPECT_EQ(oracle::finished(-3.0, 0.0, true, 255).want, 0);
    EXPECT_EQ(oracle::finished(-3.5, 0.0, false, 255).want, -3.5);
}

TEST(KernelsOracle, CombinesMagnitudeAndMaximum) {
    oracle::Problem p{.image = {1, 1, 1, {1}}, .channels = {{}}};
    p.channels[0].matrices = {{.width = 1, .height = 1, .weights = {3}},
                              {.width = 1, .height = 1, .weights = {-4}}};
    p.combination = oracle::Combination::magnitude;
    EXPECT_EQ(oracle::convolve(p).want.samples[0], 5);
    p.combination = oracle::Combination::maximum;
    EXPECT_EQ(oracle::convolve(p).want.samples[0], 3);
    p.channels[0].matrices.push_back({.width = 1, .height = 1, .weights = {12}});
    EXPECT_EQ(oracle::convolve(p).want.samples[0], 12);
    p.combination = oracle::Combination::magnitude;
    EXPECT_EQ(oracle::convolve(p).want.samples[0], 13);
    EXPECT_TRUE(oracle::convolve(p).exact(0));
}
