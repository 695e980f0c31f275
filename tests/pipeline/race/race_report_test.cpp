// The values in the columns of `weft compare`.
#include "app/pipeline/race/race_report.h"

#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/pipeline/stack/allowed_difference.h"

namespace weft {
namespace {

Samples samples_of(const std::vector<double>& seconds) {
    Samples samples;
    for (double s : seconds) samples.add(s);
    return samples;
}

KernelResult kernel_of(const char* name, const std::vector<double>& seconds) {
    KernelResult kernel;
    kernel.kernel = name;
    kernel.seconds = samples_of(seconds);
    return kernel;
}

// A frame of 6 MB; the copy takes 2 ms, `slow` 8 ms, `fast` 4 ms at the median.
StepResult some_step() {
    StepResult step;
    step.bytes = 6e6;
    step.baseline = "slow";
    step.copy = samples_of({2e-3});
    step.kernels = {kernel_of("slow", {8e-3}), kernel_of("fast", {4e-3, 1e-3, 9e-3}),
                    kernel_of("refused", {})};
    step.kernels[1].planned = true;
    step.kernels[2].why_not = "it takes nothing";
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

TEST(PipelineRaceReport, KernelsThatDidNotRunHaveNoRates) {
    StepResult step = some_step();
    EXPECT_EQ(gigabytes_per_second(step, step.kernels[2].seconds), 0);
    EXPECT_EQ(fraction_of_limit(step, step.kernels[2]), 0);
    EXPECT_EQ(speed_up(step, step.kernels[2]), 0);
    for (const char* baseline : {"refused", "absent"}) {
        step.baseline = baseline;
        EXPECT_EQ(speed_up(step, step.kernels[1]), 0) << baseline;
    }
}

TEST(PipelineRaceReport, MediansTieUnlessTheyDifferSignificantly) {
    std::vector<double> wide, narrow;
    for (int k = 0; k < 100; ++k) {
        wide.push_back(1e-3 + 1e-5 * k);  // 95 % of the median: 1.40 to 1.60 ms
        narrow.push_back(1.5e-3 + 1e-8 * k);
    }
    const Samples middle = samples_of(narrow);
    EXPECT_TRUE(is_tie(samples_of(wide), middle));
    EXPECT_TRUE(is_tie(middle, samples_of(wide)));
    EXPECT_TRUE(is_tie(middle, samples_of({1.512e-3}))) << "the timer's resolution";
    EXPECT_FALSE(is_tie(middle, samples_of({1.53e-3})));
    EXPECT_TRUE(is_tie(samples_of(wide), samples_of({1.59e-3})));
    EXPECT_FALSE(is_tie(samples_of(wide), samples_of({1.65e-3})));
    EXPECT_FALSE(is_tie(middle, {}));
}

TEST(PipelineRaceReport, WrongMeansBeyondTheAllowedDifference) {
    KernelResult kernel;
    EXPECT_FALSE(is_wrong(kernel)) << "nobody has looked at its pixels";
    kernel.error = {.largest = 1, .pixels = 100, .differing = 3};
    EXPECT_TRUE(is_wrong(kernel));
    kernel.allowed_difference = 1;
    EXPECT_FALSE(is_wrong(kernel));
    kernel.error.largest = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(is_wrong(kernel));
}

ConvProblem problem_of(PixelType type, Taps taps) {
    ConvProblem p;
    p.width = p.height = 8;
    p.type = type;
    p.conv = {{.taps = {std::move(taps)}, .scale = 0.5F}};
    return p;
}

TEST(PipelineAllowedDifference, FollowsTheContract) {
    const Taps whole = dense_taps(3, 3, std::vector<float>(9, 2.0F));
    const Taps parts = dense_taps(3, 3, std::vector<float>(9, 0.25F));
    EXPECT_EQ(allowed_difference(problem_of(PixelType::u8, whole), Arithmetic::half_taps), 0);
    EXPECT_EQ(allowed_difference(problem_of(PixelType::u8, parts), Arithmetic::half_taps), 1);
    EXPECT_EQ(allowed_difference(problem_of(PixelType::u16, parts), Arithmetic::fourier), 1);
    // 2 · 9 · 2^-24 · Σ|w|, halved by the scale.
    const ConvProblem f32 = problem_of(PixelType::f32, parts);
    EXPECT_DOUBLE_EQ(allowed_difference(f32, Arithmetic::fp32), 9 * 0x1p-24 * 2.25);
    // √Σw² = 0.75.
    EXPECT_DOUBLE_EQ(allowed_difference(f32, Arithmetic::fourier),
                     9 * 0x1p-24 * 2.25 + 0.5 * 0.02 * 0.75);
    // Another device may take halves, whose bound is three times that and 2^-38 per tap.
    const ConvProblem large =
        problem_of(PixelType::f32, dense_taps(5, 5, std::vector<float>(25, 0.25F)));
    EXPECT_DOUBLE_EQ(allowed_difference(large, Arithmetic::fp32),
                     25 * (3 * 0x1p-24 + 0x1p-38) * 6.25);
}

// Samples of a type as an image of that width and number of channels.
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

// A pixel with several wrong channels counts once.
TEST(PipelineImageDifference, PixelsNotSamples) {
    std::vector<std::uint16_t> want = {1000, 2000, 3000, 4000};
    std::vector<std::uint16_t> got = {1001, 1990, 3000, 4000};
    ImageDifference sum;
    sum.add(view_of(want, PixelType::u16, 2, 2), view_of(got, PixelType::u16, 2, 2));
    EXPECT_EQ(sum.pixels, 2);
    EXPECT_EQ(sum.differing, 1);
    EXPECT_EQ(sum.largest, 10);
}

TEST(PipelineImageDifference, PaddingIsIgnored) {
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

TEST(PipelineImageDifference, NanIsInfinitelyFar) {
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
