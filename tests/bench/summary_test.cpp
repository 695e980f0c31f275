#include "tests/bench/summary.h"

#include <gtest/gtest.h>

namespace weft::bench {
namespace {

TEST(KernelsBenchSummary, MedianSpreadAndTailOfOneLaunch) {
    const Timing t = summary_of({10, 2, 4, 8, 6}, 2);
    EXPECT_DOUBLE_EQ(t.median, 3);
    EXPECT_DOUBLE_EQ(t.spread, 2.0 / 3);  // from 2 to 4
    EXPECT_DOUBLE_EQ(t.p95, 4.8);
    EXPECT_EQ(t.samples, 5);
    EXPECT_EQ(t.launches_per_sample, 2);
}

TEST(KernelsBenchSummary, OneSampleHasNoSpread) {
    const Timing t = summary_of({3}, 1);
    EXPECT_DOUBLE_EQ(t.median, 3);
    EXPECT_DOUBLE_EQ(t.p95, 3);
    EXPECT_DOUBLE_EQ(t.spread, 0);
}

TEST(KernelsBenchSummary, ADifferenceInsideTheNoiseIsATie) {
    const Timing noisy{.median = 10, .spread = 0.1};
    EXPECT_TRUE(tie(noisy, {.median = 10.4, .spread = 0}));
    EXPECT_FALSE(tie(noisy, {.median = 10.6, .spread = 0}));
    EXPECT_TRUE(tie({.median = 10.4, .spread = 0}, noisy)) << "from either side";
}

}  // namespace
}  // namespace weft::bench
