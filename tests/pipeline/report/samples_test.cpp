#include "app/pipeline/report/samples.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(PipelineSamples, EmptyGivesZeros) {
    const Samples samples;
    EXPECT_EQ(samples.count(), 0);
    EXPECT_EQ(samples.median_seconds(), 0);
    EXPECT_EQ(samples.p95_seconds(), 0);
    EXPECT_EQ(samples.total_seconds(), 0);
}

TEST(PipelineSamples, NearestRank) {
    Samples samples;
    for (double value : {5.0, 1.0, 4.0, 2.0, 3.0}) samples.add(value);
    EXPECT_EQ(samples.median_seconds(), 3);
    EXPECT_EQ(samples.p95_seconds(), 5);
    EXPECT_EQ(samples.quantile_seconds(0), 1);
    EXPECT_EQ(samples.quantile_seconds(0.2), 1);
    EXPECT_EQ(samples.quantile_seconds(0.21), 2);
    EXPECT_EQ(samples.quantile_seconds(1), 5);
    EXPECT_EQ(samples.total_seconds(), 15);
}

TEST(PipelineSamples, BoundedSubsetKeepsCountTotalAndRanks) {
    Samples samples;
    constexpr int kMany = 200'000;
    for (int k = 1; k <= kMany; ++k) samples.add(k);
    EXPECT_EQ(samples.count(), kMany);
    EXPECT_EQ(samples.total_seconds(), 0.5 * kMany * (kMany + 1.0));
    // Five standard deviations of a rank among 4096 drawn: 5 * sqrt(p * (1 - p) / 4096).
    EXPECT_NEAR(samples.median_seconds() / kMany, 0.5, 0.04);
    EXPECT_NEAR(samples.p95_seconds() / kMany, 0.95, 0.018);
}

TEST(PipelineSamples, LatestForgetsTheOldest) {
    Samples samples = Samples::latest(3);
    for (double value : {9.0, 1.0}) samples.add(value);
    EXPECT_EQ(samples.kept(), (std::vector<double>{9, 1}));
    for (double value : {2.0, 3.0, 4.0}) samples.add(value);
    EXPECT_EQ(samples.kept(), (std::vector<double>{2, 3, 4}));
    EXPECT_EQ(samples.median_seconds(), 3);
    EXPECT_EQ(samples.p95_seconds(), 4);
    EXPECT_EQ(samples.count(), 5);
    EXPECT_EQ(samples.total_seconds(), 19);
}

// Of a file, which has these three numbers.
TEST(PipelineSamples, ASummaryHasItsQuantiles) {
    const Samples samples = Samples::summary(240, 1, 2, 5);
    EXPECT_EQ(samples.count(), 240);
    EXPECT_EQ(samples.quantile_seconds(0.05), 1);
    EXPECT_EQ(samples.median_seconds(), 2);
    EXPECT_EQ(samples.p95_seconds(), 5);
    EXPECT_EQ(samples.total_seconds(), 480);
}

}  // namespace
}  // namespace weft
