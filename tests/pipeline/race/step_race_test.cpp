// Kernels racing on a step's convolutions: the participants, and the check of their results.
#include "app/pipeline/race/step_race.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/pipeline/race/whole_device.h"
#include "app/pipeline/stack/stack_runner.h"
#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

// A stack of one step over random frames of one format.
class Race {
 public:
    Race(const std::string& step, AVPixelFormat format, const Device& device,
         const RaceChoice& choice = {})
        : row_(format_row(format)),
          runner_(plan_stack(parse_stack(step), frame_info(*frame(0), 0), device)),
          race_(runner_.plan().steps.front(), device, choice, result) {
        runner_.observe([&](std::size_t, std::span<const ImageView> sources, StreamView stream) {
            race_.run(sources, stream, stop.get_token());
        });
    }

    void play(std::uint32_t frames) {
        for (std::uint32_t t = 0; t < frames; ++t) {
            const AVFramePtr source = frame(t);
            const AVFramePtr out = new_frame_like(*source);
            runner_.run(plane_views(*source), plane_views(*out));
        }
    }

    const KernelResult& of(const std::string& kernel) const {
        const auto found = std::ranges::find(result.kernels, kernel, &KernelResult::kernel);
        if (found == result.kernels.end()) throw std::runtime_error(kernel + " is not in the race");
        return *found;
    }

    StepResult result;
    std::stop_source stop;

 private:
    AVFramePtr frame(std::uint32_t seed) const { return random_frame(row_, 133, 71, seed); }

    const FormatRow& row_;
    StackRunner runner_;
    StepRace race_;
};

TEST(PipelineRace, EveryKernelThatCanRunTakesPart) {
    for (const char* step : {"gaussian=sigma=2", "sobel", "kirsch", "box=radius=40"}) {
        Race race(step, AV_PIX_FMT_YUV420P, cpu_device());
        race.play(3);
        EXPECT_GE(race.result.kernels.size(), 2U) << step;
        for (const KernelResult& result : race.result.kernels) {
            EXPECT_EQ(result.why_not, "") << step;
            EXPECT_EQ(result.seconds.count(), 3) << step;
            EXPECT_GT(result.seconds.median_seconds(), 0) << step;
            EXPECT_GT(result.error.pixels, 0) << step;
            EXPECT_LE(result.error.largest, 1) << step;
        }
        EXPECT_EQ(race.result.copy.count(), 3) << step;
        EXPECT_EQ(race.result.empty.count(), 3) << step;
        EXPECT_EQ(race.result.reference, "opencv_cpu") << step;
        EXPECT_EQ(race.result.baseline, "opencv_cpu") << step;
        EXPECT_TRUE(std::ranges::any_of(race.result.kernels, &KernelResult::planned)) << step;
        EXPECT_EQ(race.of("opencv_cpu").error.differing, 0) << step;
    }
}

// All planes of a frame count: luma and two planes of a quarter its size, read and written once.
TEST(PipelineRace, BytesAndPixelsAreOfAllPlanes) {
    Race race("gaussian", AV_PIX_FMT_YUV420P, cpu_device());
    race.play(1);
    const double pixels = 133 * 71 + 2 * 67 * 36;
    EXPECT_EQ(race.result.bytes, 2 * pixels);
    EXPECT_EQ(race.of("opencv_cpu").error.pixels, pixels);
    Race luma("sobel", AV_PIX_FMT_YUV420P, cpu_device());
    EXPECT_EQ(luma.result.bytes, 2.0 * 133 * 71);
    Race of_rgb("sobel", AV_PIX_FMT_RGB24, cpu_device());
    of_rgb.play(2);
    EXPECT_EQ(of_rgb.result.bytes, 2.0 * 133 * 71);
    EXPECT_EQ(of_rgb.of("opencv_cpu").seconds.count(), 2);
}

// A multiply-add for each of the 3×3 taps and each sample.
TEST(PipelineRace, OperationsAreOfAllPlanes) {
    Race race("convolve=matrix='1 2 1 2 4 2 1 2 3'", AV_PIX_FMT_YUV420P, cpu_device());
    const double pixels = 133 * 71 + 2 * 67 * 36;
    EXPECT_EQ(race.of("opencv_cpu").operations, 18 * pixels);
}

// Each planned kernel was chosen, and each other one has a reason.
TEST(PipelineRace, EveryKernelHasThePlannersReason) {
    const Race race("gaussian=sigma=2", AV_PIX_FMT_YUV420P, cpu_device());
    for (const KernelResult& result : race.result.kernels) {
        const bool by_name = find_kernel(result.kernel)->time == nullptr;
        const char* begins = result.planned ? "The planner chose it: "
                             : by_name      ? "The planner never chooses it: "
                                            : "The planner passed it over: ";
        ASSERT_EQ(result.planner.size(), 1U) << result.kernel << ": all planes have one reason";
        EXPECT_TRUE(result.planner.front().starts_with(begins)) << result.planner.front();
    }
}

TEST(PipelineRace, ThePeakOfTheCpuIsMeasured) {
    const Device cpu = cpu_device();
    const DevicePeak peak = device_peak(cpu);
    EXPECT_GT(peak.bytes, 0);
    EXPECT_GT(peak.operations, 0);
    EXPECT_GT(peak.half_operations, 0);
    EXPECT_EQ(device_peak(cpu).bytes, peak.bytes) << "it is measured once";
}

TEST(PipelineRace, ReferenceAndBaselineJoinTheChosen) {
    const std::string other = "direct";
    Race race("gaussian", AV_PIX_FMT_GRAY8, cpu_device(), {.kernels = {other}, .baseline = {}});
    race.play(1);
    ASSERT_EQ(race.result.kernels.size(), 2U);
    EXPECT_FALSE(race.of(other).why_not.empty());
    EXPECT_EQ(race.of(other).why_not,
              why_cannot(*find_kernel(other), ConvProblem{.conv = {{.taps = {identity_taps()}}}},
                         cpu_device()));
    EXPECT_EQ(race.of(other).seconds.count(), 0);
    EXPECT_EQ(race.of("opencv_cpu").seconds.count(), 1);
    Race based("gaussian", AV_PIX_FMT_GRAY8, cpu_device(), {.kernels = {}, .baseline = other});
    EXPECT_EQ(based.result.baseline, other);
    EXPECT_FALSE(based.of(other).why_not.empty());
}

TEST(PipelineRace, ReportsWhetherTheReferenceIsExact) {
    EXPECT_TRUE(Race("kirsch", AV_PIX_FMT_GRAY8, cpu_device()).result.exact);
    EXPECT_TRUE(Race("box", AV_PIX_FMT_YUV422P10, cpu_device()).result.exact);
    EXPECT_FALSE(Race("gaussian", AV_PIX_FMT_GRAY8, cpu_device()).result.exact);
    // 8 · 8191 · 1023 is past 2^24.
    EXPECT_FALSE(Race("convolve=matrix='8191 8191 8191 8191 0 8191 8191 8191 8191':planes=y",
                      AV_PIX_FMT_YUV422P10, cpu_device())
                     .result.exact);
}

TEST(PipelineRace, StepsWithoutConvolutionHaveNone) {
    Race race("frame_difference", AV_PIX_FMT_GRAY8, cpu_device());
    race.play(2);
    EXPECT_TRUE(race.result.kernels.empty());
    EXPECT_EQ(race.result.reference, "");
    EXPECT_EQ(race.result.copy.count(), 0);
}

TEST(PipelineRace, StopsBetweenKernels) {
    Race race("gaussian", AV_PIX_FMT_GRAY8, cpu_device());
    race.stop.request_stop();
    race.play(1);
    EXPECT_EQ(race.of("opencv_cpu").seconds.count(), 0);
}

class GpuPipelineRace : public testing::TestWithParam<const char*> {};

// Every GPU kernel that takes the step agrees with the reference, by the contract.
TEST_P(GpuPipelineRace, KernelsAgree) {
    const GpuProbe probe = probe_gpus();
    if (probe.devices.empty()) GTEST_SKIP() << probe.why_none;
    for (const AVPixelFormat format : {AV_PIX_FMT_GRAY8, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV422P10,
                                       AV_PIX_FMT_RGB24, AV_PIX_FMT_BGRA}) {
        Race race(GetParam(), format, probe.devices.front());
        race.play(3);
        EXPECT_GE(race.result.kernels.size(), 1U);
        for (const KernelResult& result : race.result.kernels) {
            EXPECT_EQ(result.seconds.count(), 3) << result.kernel;
            EXPECT_LE(result.error.largest, race.result.exact ? 0 : 1) << result.kernel;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Steps, GpuPipelineRace,
                         testing::Values("gaussian=sigma=2", "sobel", "kirsch", "box=radius=3",
                                         "gaussian=sigma=30"));

}  // namespace
}  // namespace weft::test
