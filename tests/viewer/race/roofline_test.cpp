// The points, the axes and the roofs of a race.
#include "app/viewer/race/roofline.h"

#include <gtest/gtest.h>

namespace weft::test {
namespace {

// A frame of 1 MB. The copy takes 1 ms; `light` computes 2 operations per byte in 4 ms, `heavy` 200
// in 10 ms, with single samples between half and twice that.
RaceSnapshot some_race() {
    RaceSnapshot race;
    StepResult& step = race.step;
    step.bytes = 1e6;
    step.copy.add(1e-3);
    step.peak = {.bytes = 4e9, .operations = 40e9, .half_operations = 80e9};
    step.kernels.resize(3);
    step.kernels[0].kernel = "light";
    step.kernels[0].seconds.add(4e-3);
    step.kernels[0].operations = 2e6;
    step.kernels[1].kernel = "heavy";
    for (const double seconds : {10e-3, 5e-3, 20e-3}) step.kernels[1].seconds.add(seconds);
    step.kernels[1].operations = 200e6;
    step.kernels[2].kernel = "refused";
    step.kernels[2].why_not = "it takes nothing";
    return race;
}

TEST(ViewerRoofline, PointsAreRatesPerIntensity) {
    const RaceSnapshot race = some_race();
    const Roofline roofline = roofline_of(race, race_rows(race, {}));
    EXPECT_DOUBLE_EQ(roofline.copy_bytes, 1e9);
    ASSERT_EQ(roofline.points.size(), 2U);
    EXPECT_EQ(roofline.points[0].index, 0U);
    EXPECT_DOUBLE_EQ(roofline.points[0].intensity, 2);
    EXPECT_DOUBLE_EQ(roofline.points[0].rate, 0.5e9);
    EXPECT_DOUBLE_EQ(roofline.points[1].intensity, 200);
    EXPECT_DOUBLE_EQ(roofline.points[1].rate, 20e9);
    EXPECT_DOUBLE_EQ(roofline.points[1].fastest, 40e9);
    EXPECT_DOUBLE_EQ(roofline.points[1].slowest, 10e9);
}

TEST(ViewerRoofline, TheAxesShowEveryPointAndTheRidges) {
    const RaceSnapshot race = some_race();
    const Roofline roofline = roofline_of(race, race_rows(race, {}));
    for (const double intensity : {2.0, 200.0, 10.0, 20.0}) {  // the ridges are at the last two
        EXPECT_GT(roofline.intensities.share(intensity), 0) << intensity;
        EXPECT_LT(roofline.intensities.share(intensity), 1) << intensity;
    }
    for (const double rate : {0.5e9, 10e9, 40e9, 80e9}) {
        EXPECT_GT(roofline.rates.share(rate), 0) << rate;
        EXPECT_LT(roofline.rates.share(rate), 1) << rate;
    }
}

TEST(ViewerRoofline, TheLowerRoofCounts) {
    EXPECT_DOUBLE_EQ(roof_at(2, 4e9, 40e9), 8e9);
    EXPECT_DOUBLE_EQ(roof_at(100, 4e9, 40e9), 40e9);
    EXPECT_DOUBLE_EQ(roof_at(100, 0, 40e9), 40e9);
    EXPECT_DOUBLE_EQ(roof_at(100, 4e9, 0), 400e9);
}

TEST(ViewerRoofline, WithoutMeasurementsItIsEmpty) {
    EXPECT_TRUE(roofline_of({}, {}).points.empty());
}

}  // namespace
}  // namespace weft::test
