// The logarithmic axes of a race's plots, and their ticks.
#include "app/viewer/race/log_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::test {
namespace {

TEST(ViewerLogAxis, SharesAreLogarithmic) {
    const LogAxis axis{1e-6, 1e-2};
    EXPECT_NEAR(axis.share(1e-6), 0, 1e-12);
    EXPECT_NEAR(axis.share(1e-5), 0.25, 1e-12);
    EXPECT_NEAR(axis.share(1e-2), 1, 1e-12);
    EXPECT_NEAR(axis.share(1e-1), 1.25, 1e-12);
    EXPECT_EQ(axis.clamped_share(1e-1), 1);
    EXPECT_EQ(axis.clamped_share(1e-9), 0);
    EXPECT_EQ(axis.clamped_share(0), 0);
}

// Noise of a percent does not fill the plot, and stays in its middle.
TEST(ViewerLogAxis, AnAxisHasAMarginAndALeastSpan) {
    const LogAxis noise = axis_around(1e-3, 1.01e-3, 4);
    EXPECT_NEAR(noise.most / noise.least, 4, 1e-9);
    EXPECT_NEAR(noise.share(1e-3), 1 - noise.share(1.01e-3), 1e-9);
    const LogAxis wide = axis_around(1e-6, 1e-3, 4);
    EXPECT_LT(wide.least, 1e-6);
    EXPECT_GT(wide.most, 1e-3);
    EXPECT_LT(wide.most / wide.least, 1.2e3);
}

std::vector<double> values(const std::vector<Tick>& ticks, bool labelled) {
    std::vector<double> values;
    for (const Tick& tick : ticks)
        if (tick.labelled || !labelled) values.push_back(tick.value);
    return values;
}

TEST(ViewerLogAxis, TicksAreAt1And2And5) {
    using testing::DoubleNear;
    using testing::ElementsAre;
    EXPECT_THAT(values(ticks_of({15, 240}, 0), false),
                ElementsAre(DoubleNear(20, 1e-9), DoubleNear(50, 1e-9), DoubleNear(100, 1e-9),
                            DoubleNear(200, 1e-9)));
    EXPECT_THAT(values(ticks_of({0.5, 2e5}, 0), false),
                ElementsAre(1, 10, 100, 1e3, 1e4, DoubleNear(1e5, 1e-6)));
}

// Labels neither touch each other nor leave the plot.
TEST(ViewerLogAxis, LabelsHaveRoom) {
    for (const double room : {0.05, 0.1, 0.2, 0.4, 0.9})
        for (const LogAxis axis : {LogAxis{15, 240}, LogAxis{0.9, 1.1}, LogAxis{1e-6, 1e-1}}) {
            double end = 0;
            for (const double value : values(ticks_of(axis, room), true)) {
                const double begin = axis.share(value) - room / 2;
                EXPECT_GE(begin, end) << value << " of " << axis.least << " with " << room;
                end = begin + room;
            }
            EXPECT_LE(end, 1) << axis.least << " with " << room;
        }
}

TEST(ViewerLogAxis, TicksOfTimeHaveUnits) {
    EXPECT_EQ(tick_text_of_seconds(500e-9), "500 ns");
    EXPECT_EQ(tick_text_of_seconds(1e-6), "1 µs");
    EXPECT_EQ(tick_text_of_seconds(2e-5), "20 µs");
    EXPECT_EQ(tick_text_of_seconds(0.000999999999999), "1 ms");
    EXPECT_EQ(tick_text_of_seconds(0.2), "200 ms");
    EXPECT_EQ(tick_text_of_seconds(5), "5 s");
}

}  // namespace
}  // namespace weft::test
