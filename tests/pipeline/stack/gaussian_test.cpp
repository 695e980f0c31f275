// The Gaussian, from its parameters to the samples of a kernel, against the Gaussian itself.
#include <algorithm>
#include <cmath>
#include <random>
#include <variant>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/pipeline/stack/stack_plan.h"
#include "tests/kernels/cases/conv_case.h"
#include "tests/support/sum_error.h"

namespace weft::test {
namespace {

constexpr int kWidth = 61;
constexpr int kHeight = 23;

struct Depth {
    SampleType sample;
    int bits;
};

FrameInfo frame_of(Depth depth, const std::vector<Component>& components = {Component::y}) {
    FrameInfo info;
    info.width = kWidth;
    info.height = kHeight;
    info.sample = depth.sample;
    info.depth_bits = depth.bits;
    info.planes = {{kWidth, kHeight, components}};
    return info;
}

StepPlan plan_of(const std::string& step, Depth depth, Sums sums = Sums::as_given) {
    return plan_stack(parse_stack(step), frame_of(depth), cpu_device(), {}, sums).steps.at(0);
}

const Taps& taps_of(const StepPlan& step) {
    return step.problems().at(0)->taps();
}

// A step along a diagonal, a flat one, and noise of black and white.
std::vector<std::vector<double>> pictures(double white) {
    std::vector<std::vector<double>> out(3);
    std::mt19937 random(43);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            out[0].push_back(x + y / 2 < 30 ? 0 : white);
            out[1].push_back(white);
            out[2].push_back(random() % 2 == 0 ? 0 : white);
        }
    return out;
}

std::vector<double> whole_gaussian(const std::vector<double>& samples, double across, double down) {
    oracle::Matrix matrix{.row = oracle::gaussian(across), .column = oracle::gaussian(down)};
    matrix.width = static_cast<int>(matrix.row.size());
    matrix.height = static_cast<int>(matrix.column.size());
    matrix.anchor_x = matrix.width / 2;
    matrix.anchor_y = matrix.height / 2;
    const oracle::Problem problem{.image = {kWidth, kHeight, 1, samples},
                                  .channels = {{.matrices = {matrix}}},
                                  .rounded = false};
    return oracle::convolve(problem).want.samples;
}

// In levels: the definition's, half of one by rounding, and that of the kernel's sums. Those of
// fp32 err by at most 0.45 before a kernel adds up doubles.
double allowed_error(const ConvKernel& kernel, const ConvProblem& p) {
    const double white = p.max_value;
    const double sums = white * oracle::gamma(p.taps().width + p.taps().height + 1);
    if (p.type == PixelType::f32) return 1e-6 + sums;
    return (p.type == PixelType::u8 ? 0.25 : 1e-6 * white) + 0.5 + std::min(sums, 0.45) +
           sum_error(kernel.arithmetic, p, white);
}

class PipelineGaussian : public testing::TestWithParam<Depth> {};

// 73 px need more factors than kernels add up at 8 bits, and 51 px with more bits.
TEST_P(PipelineGaussian, IsTheWholeOneOnPictures) {
    const bool bytes = GetParam().bits == 8;
    for (const auto& [across, down] :
         {std::pair{0.3, 0.3}, {0.7, 3.0}, {2.0, 2.0}, {7.3, 7.3}, {bytes ? 72.8 : 51.0, 20.0}}) {
        const StepPlan step =
            plan_of(fmt::format("gaussian=sigma={}:sigmaV={}", across, down), GetParam());
        ConvCase c;
        c.problem = *step.problems().at(0);
        const double white = c.problem.max_value;
        for (const std::vector<double>& picture : pictures(white)) {
            c.samples = picture;
            std::string failure;
            const ConvKernel& kernel = *step.plans.at(0).kernel;
            const std::vector<double> got = Runner(kernel, cpu_device()).run(c, failure);
            EXPECT_EQ(failure, "");
            const std::vector<double> want = whole_gaussian(picture, across, down);
            ASSERT_EQ(got.size(), want.size());
            double worst = 0;
            for (std::size_t k = 0; k < got.size(); ++k)
                worst = std::max(worst, std::fabs(got[k] - want[k]));
            EXPECT_LE(worst, allowed_error(kernel, c.problem))
                << kernel.name << ' ' << across << ' ' << down;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Depths, PipelineGaussian,
                         testing::Values(Depth{SampleType::u8, 8}, Depth{SampleType::u16, 10},
                                         Depth{SampleType::u16, 16}, Depth{SampleType::f32, 32}),
                         [](const auto& depth) { return fmt::format("of_{}", depth.param.bits); });

// Alpha stays: its 1 becomes as wide as the Gaussian, and is none.
TEST(PipelineGaussians, KeepTheirSigmaNextToAlpha) {
    const FrameInfo info =
        frame_of({SampleType::u16, 16}, {Component::r, Component::g, Component::b, Component::a});
    const Stack stack = parse_stack("gaussian=sigma=1024:sigmaV=5");
    const LoweredStep step = lower(stack[0].filter->make(stack[0].params, info), info);
    const auto& problem = std::get<ConvProblem>(step.planes.at(0).compute);
    EXPECT_NO_THROW(validate(problem));
    EXPECT_EQ(problem.taps().width, 10241);
    EXPECT_EQ(problem.channel(2).taps.at(0).gaussian_x, 1024);
    EXPECT_EQ(problem.channel(2).taps.at(0).gaussian_y, 5);
    EXPECT_EQ(problem.channel(3).taps.at(0).row[5120], 1);
    EXPECT_EQ(problem.channel(3).taps.at(0).gaussian_x, 0);
}

TEST(PipelineGaussians, AreCutAt4SigmaByExactSums) {
    for (const Depth depth : {Depth{SampleType::u8, 8}, Depth{SampleType::u16, 10}}) {
        const StepPlan step = plan_of("gaussian=sigma=2:sigmaV=0.6", depth, Sums::exact);
        EXPECT_EQ(taps_of(step).width, 17);
        EXPECT_EQ(taps_of(step).height, 7);
        EXPECT_EQ(taps_of(step).gaussian_x, 0);
        EXPECT_TRUE(integer_valued(taps_of(step)));
    }
    EXPECT_THAT(
        plan_of("gaussian", {SampleType::u8, 8}, Sums::exact).notes,
        testing::Contains("with exact sums, the Gaussian is cut off at 4 sigma, which moves "
                          "a result by at most 0.033 levels, before rounding"));
    const StepPlan cut = plan_of("gaussian=radius=3", {SampleType::u8, 8}, Sums::exact);
    EXPECT_EQ(taps_of(cut).width, 7);
    EXPECT_THAT(cut.notes, testing::Not(testing::Contains(testing::HasSubstr("cut off"))));
}

TEST(PipelineGaussians, AreRefusedWithTooManyFactorsForExactSums) {
    const Depth bytes{SampleType::u8, 8};
    EXPECT_EQ(taps_of(plan_of("gaussian=sigma=63.75", bytes, Sums::exact)).width, 511);
    EXPECT_EQ(taps_of(plan_of("gaussian=sigma=64:radius=255", bytes, Sums::exact)).width, 511);
    try {
        plan_of("gaussian=sigma=2:sigmaV=64", bytes, Sums::exact);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        EXPECT_STREQ(error.what(),
                     "gaussian: exact sums cut a Gaussian off at 4 sigma and add up at most 511 "
                     "factors a side: sigma can be at most 63.75 px, unless radius=255 cuts it off "
                     "earlier");
    }
}

}  // namespace
}  // namespace weft::test
