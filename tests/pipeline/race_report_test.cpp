// What the columns of `weft compare` are made of.
#include "app/pipeline/race_report.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

Samples samples_of(const std::vector<double>& seconds) {
    Samples samples;
    for (double s : seconds) samples.add(s);
    return samples;
}

// A frame of 6 MB; the copy takes 2 ms, `slow` 8 ms, `fast` 4 ms at the median.
StepResult some_step() {
    StepResult step;
    step.bytes = 6e6;
    step.baseline = "slow";
    step.copy = samples_of({2e-3});
    step.kernels = {{"slow", false, "", samples_of({8e-3}), {}},
                    {"fast", true, "", samples_of({4e-3, 1e-3, 9e-3}), {}},
                    {"refused", false, "it takes nothing", {}, {}}};
    return step;
}

TEST(PipelineRaceReport, RatesAreOfMedians) {
    const StepResult step = some_step();
    EXPECT_DOUBLE_EQ(gigabytes_per_second(step, step.copy), 3.0);
    EXPECT_DOUBLE_EQ(gigabytes_per_second(step, step.kernels[1].seconds), 1.5);
    EXPECT_DOUBLE_EQ(fraction_of_limit(step, step.kernels[0]), 0.25);
    EXPECT_DOUBLE_EQ(fraction_of_limit(step, step.kernels[1]), 0.5);
    EXPECT_DOUBLE_EQ(speed_up(step, step.kernels[0]), 1.0);
    EXPECT_DOUBLE_EQ(speed_up(step, step.kernels[1]), 2.0);
}

TEST(PipelineRaceReport, WhatDidNotRunHasNoRates) {
    StepResult step = some_step();
    EXPECT_EQ(gigabytes_per_second(step, step.kernels[2].seconds), 0);
    EXPECT_EQ(fraction_of_limit(step, step.kernels[2]), 0);
    EXPECT_EQ(speed_up(step, step.kernels[2]), 0);
    for (const char* baseline : {"refused", "absent"}) {
        step.baseline = baseline;
        EXPECT_EQ(speed_up(step, step.kernels[1]), 0) << baseline;
    }
}

// Rows of `width` samples of a type, as an image of some channels.
template <class Sample>
ImageView view_of(std::vector<Sample>& samples, PixelType type, int width, int channels) {
    ImageView view;
    view.data = samples.data();
    view.width = width;
    view.channels = channels;
    view.height = static_cast<int>(samples.size()) / (width * channels);
    view.pitch_bytes = static_cast<std::ptrdiff_t>(sizeof(Sample)) * width * channels;
    view.type = type;
    return view;
}

TEST(PipelineImageDifference, CountsPixelsAndKeepsTheLargest) {
    std::vector<std::uint8_t> want = {0, 1, 2, 3, 4, 255};
    std::vector<std::uint8_t> got = {0, 3, 1, 3, 4, 0};
    ImageDifference sum;
    sum.add(view_of(want, PixelType::u8, 3, 1), view_of(got, PixelType::u8, 3, 1));
    EXPECT_EQ(sum.pixels, 6);
    EXPECT_EQ(sum.differing, 3);
    EXPECT_EQ(sum.largest, 255);
    sum.add(view_of(want, PixelType::u8, 3, 1), view_of(want, PixelType::u8, 3, 1));
    EXPECT_EQ(sum.pixels, 12);
    EXPECT_EQ(sum.differing, 3);
    EXPECT_DOUBLE_EQ(sum.differing_fraction(), 0.25);
}

// A pixel of several wrong channels is one pixel.
TEST(PipelineImageDifference, PixelsNotSamples) {
    std::vector<std::uint16_t> want = {1000, 2000, 3000, 4000};
    std::vector<std::uint16_t> got = {1001, 1990, 3000, 4000};
    ImageDifference sum;
    sum.add(view_of(want, PixelType::u16, 2, 2), view_of(got, PixelType::u16, 2, 2));
    EXPECT_EQ(sum.pixels, 2);
    EXPECT_EQ(sum.differing, 1);
    EXPECT_EQ(sum.largest, 10);
}

TEST(PipelineImageDifference, PaddingIsNotLookedAt) {
    std::vector<std::uint8_t> want = {1, 2, 77, 3, 4, 77};
    std::vector<std::uint8_t> got = {1, 2, 88, 3, 5, 88};
    ImageView a = view_of(want, PixelType::u8, 3, 1);
    ImageView b = view_of(got, PixelType::u8, 3, 1);
    a.width = b.width = 2;
    ImageDifference sum;
    sum.add(a, b);
    EXPECT_EQ(sum.pixels, 4);
    EXPECT_EQ(sum.differing, 1);
    EXPECT_EQ(sum.largest, 1);
}

TEST(PipelineImageDifference, NotANumberIsInfinitelyFar) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> want = {0.5F, 0.0F, kNan, 1.0F};
    std::vector<float> same = {0.5F, -0.0F, kNan, 1.0F};
    ImageDifference equal;
    equal.add(view_of(want, PixelType::f32, 4, 1), view_of(same, PixelType::f32, 4, 1));
    EXPECT_EQ(equal.differing, 0);
    EXPECT_EQ(equal.largest, 0);
    std::vector<float> got = {0.75F, 0.0F, kNan, kNan};
    ImageDifference sum;
    sum.add(view_of(want, PixelType::f32, 4, 1), view_of(got, PixelType::f32, 4, 1));
    EXPECT_EQ(sum.differing, 2);
    EXPECT_EQ(sum.largest, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace weft
