// A race over the values of a parameter: its values, its points, its plot and its file.
#include "app/viewer/race/sweep.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/viewer/race/live_race.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

using testing::ElementsAre;

FrameInfo yuv_info(int width, int height) {
    FrameInfo info;
    info.width = width;
    info.height = height;
    info.planes = {{width, height, {Component::y}},
                   {(width + 1) / 2, (height + 1) / 2, {Component::u}},
                   {(width + 1) / 2, (height + 1) / 2, {Component::v}}};
    return info;
}

SweepRequest request_of(const std::string& step, const std::string& param) {
    return {.step = parse_stack(step).front(),
            .info = yuv_info(64, 36),
            .param = param,
            .kernels = {"opencv_cpu", "cpu_separable"}};
}

std::shared_ptr<const SweepResult> swept(const SweepRequest& request) {
    Sweep sweep(cpu_device());
    sweep.set(request);
    while (sweep.take_turn()) continue;
    return sweep.result();
}

std::vector<std::string> names_of(const std::string& filter) {
    std::vector<std::string> names;
    for (const ParamDef* param : sweep_params(*find_filter(filter)))
        names.emplace_back(param->name);
    return names;
}

TEST(ViewerSweep, VariesLengths) {
    EXPECT_THAT(names_of("gaussian"), ElementsAre("sigma", "sigmaV", "radius"));
    EXPECT_THAT(names_of("disc"), ElementsAre("radius"));
    EXPECT_THAT(names_of("sobel"), ElementsAre());
}

// Half octaves within the limits; a width of a blur is odd.
TEST(ViewerSweep, ValuesAreHalfOctavesThatTheFilterTakes) {
    const std::vector<double> sigmas = sweep_values(request_of("gaussian", "sigma"));
    ASSERT_EQ(sigmas.size(), 17U);
    for (std::size_t k = 0; k < sigmas.size(); ++k)
        EXPECT_NEAR(sigmas[k], 0.5 * std::pow(2, static_cast<double>(k) / 2), 1e-9);
    EXPECT_THAT(sweep_values(request_of("box", "radius")),
                ElementsAre(1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128));
    EXPECT_THAT(sweep_values(request_of("unsharp", "size_x")),
                ElementsAre(3, 5, 7, 9, 11, 17, 23, 33, 45));
}

// At the frame's proportions, even, and no larger than memory allows.
TEST(ViewerSweep, WidthsAreEvenAndEndWithTheMemory) {
    const std::vector<double> wide = sweep_values(request_of("sobel", ""));
    EXPECT_EQ(wide.front(), 128);
    EXPECT_EQ(wide.back(), 8192);
    for (const double width : wide) EXPECT_EQ(std::fmod(width, 2), 0) << width;
    SweepRequest high = request_of("sobel", "");
    high.info = yuv_info(36, 64 * 36);
    EXPECT_EQ(sweep_values(high).back(), 1024) << "1024 × 65,536 pixels are 64 Mi";
}

TEST(ViewerSweep, EveryPointIsARaceWithResultsThatAreChecked) {
    const std::shared_ptr<const SweepResult> result = swept(request_of("gaussian", "sigma"));
    EXPECT_TRUE(result->complete);
    EXPECT_EQ(result->trouble, "");
    EXPECT_EQ(result->points.size(), result->values);
    for (const SweepPoint& point : result->points) {
        int planned = 0;
        for (const KernelResult& kernel : point.race->step.kernels) {
            planned += kernel.planned ? 1 : 0;
            EXPECT_FALSE(is_wrong(kernel)) << kernel.kernel << " at " << point.value;
            if (takes_part(point.race->settings, point.race->step, kernel) &&
                kernel.why_not.empty()) {
                EXPECT_GE(kernel.seconds.count(), 3) << kernel.kernel;
                EXPECT_EQ(kernel.error.pixels, 64 * 36 + 2 * 32 * 18) << kernel.kernel;
            }
        }
        EXPECT_GT(planned, 0) << point.value;
    }
    EXPECT_NE(result->points.front().race->step.work, result->points.back().race->step.work);
}

// The luma of a frame and its chroma keep their proportions.
TEST(ViewerSweep, APictureIsAsLargeAsItsWidth) {
    SweepRequest request = request_of("box", "");
    request.info = yuv_info(640, 16);
    const std::shared_ptr<const SweepResult> result = swept(request);
    EXPECT_TRUE(result->complete);
    ASSERT_EQ(result->points.size(), result->values);
    for (const SweepPoint& point : result->points) {
        const double height = 2 * std::round(point.value * 16 / 640 / 2);
        const double luma = point.value * height;
        EXPECT_EQ(point.race->step.bytes, 2 * luma * 1.5) << point.value;
    }
}

TEST(ViewerSweep, KeepsPointsForTheSameRequestAndPausesWithoutOne) {
    Sweep sweep(cpu_device());
    const SweepRequest request = request_of("gaussian", "sigma");
    sweep.set(request);
    while (sweep.result()->points.empty()) ASSERT_TRUE(sweep.take_turn());
    sweep.set(std::nullopt);
    EXPECT_FALSE(sweep.take_turn());
    SweepRequest same = request;
    same.step.params.set("sigma", 7.0);
    sweep.set(same);
    EXPECT_EQ(sweep.result()->points.size(), 1U) << "the value in the stack does not count";
    EXPECT_TRUE(sweep.take_turn());
    const auto restarts = [&](const char* what, const auto& change) {
        sweep.set(request);
        while (sweep.result()->points.empty()) ASSERT_TRUE(sweep.take_turn());
        SweepRequest other = request;
        change(other);
        sweep.set(other);
        EXPECT_TRUE(sweep.result()->points.empty()) << what;
    };
    restarts("parameter", [](SweepRequest& r) { r.param = ""; });
    restarts("another value", [](SweepRequest& r) { r.step.params.set("radius", 3.0); });
    restarts("format", [](SweepRequest& r) { r.info.height = 38; });
    restarts("kernels", [](SweepRequest& r) { r.kernels = {"cpu_direct"}; });
    restarts("caches", [](SweepRequest& r) { r.caches = CacheState::cold; });
    restarts("start", [](SweepRequest& r) { r.start = 1; });
}

TEST(ViewerSweep, SaysWhyAStepHasNoPoints) {
    const std::shared_ptr<const SweepResult> result = swept(request_of("frame_difference", ""));
    EXPECT_TRUE(result->complete);
    EXPECT_TRUE(result->points.empty());
    EXPECT_EQ(result->trouble, "frames in time, one pass");
}

TEST(ViewerSweep, RunsWhileNoFrameIsInWork) {
    LiveRace race(cpu_device());
    EXPECT_NE(race.sweep(), nullptr);
    race.set_sweep(request_of("disc", "radius"));
    for (int k = 0; k < 3000 && !race.sweep()->complete; ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(race.sweep()->complete);
    EXPECT_FALSE(race.sweep()->points.empty());
}

// ---- the plot, of kernels whose times are known ----

KernelResult kernel_of(const char* name, double seconds) {
    KernelResult kernel;
    kernel.kernel = name;
    if (seconds > 0)
        for (int k = 0; k < 12; ++k) kernel.seconds.add(seconds);
    kernel.error = {.largest = 0, .pixels = 10, .differing = 0};
    return kernel;
}

// "flat" takes 4 ms and "rising" a ms for each px; "best" takes 1 µs and is wrong. "limited" runs
// at 1 px only.
SweepResult some_sweep() {
    SweepResult sweep;
    sweep.request = request_of("gaussian=sigma=2", "sigma");
    for (const double value : {1.0, 2.0, 8.0, 16.0}) {
        RaceSnapshot race;
        race.step.reference = race.step.baseline = "flat";
        race.step.bytes = 1e6;
        race.step.kernels = {kernel_of("flat", 4e-3), kernel_of("rising", value * 1e-3),
                             kernel_of("best", 1e-6), kernel_of("limited", value > 1 ? 0 : 5e-4)};
        race.step.kernels[0].planned = value > 2;
        race.step.kernels[2].error.largest = 100;
        sweep.points.push_back({value, std::make_shared<const RaceSnapshot>(race)});
    }
    return sweep;
}

TEST(ViewerSweepPlot, LinesHaveAMarkForEachMeasuredValue) {
    const SweepPlot plot = sweep_plot(some_sweep());
    ASSERT_EQ(plot.lines.size(), 4U);
    for (const SweepLine& line : plot.lines) {
        EXPECT_EQ(line.marks.size(), line.kernel == 3 ? 1U : 4U) << line.kernel;
        for (const SweepMark& mark : line.marks) {
            EXPECT_EQ(mark.wrong, line.kernel == 2);
            EXPECT_EQ(mark.planned, line.kernel == 0 && mark.value > 2);
            EXPECT_GE(plot.times.share(mark.seconds), 0);
            EXPECT_LE(plot.times.share(mark.seconds), 1);
            EXPECT_GE(plot.values.share(mark.value), 0);
            EXPECT_LE(plot.values.share(mark.value), 1);
        }
    }
    EXPECT_TRUE(sweep_plot({}).lines.empty());
}

// value × 1 ms = 4 ms at 4. "limited" is not measured at 2, where "rising" follows it.
TEST(ViewerSweepPlot, CrossoversAreWhereTheFastestLinesCross) {
    const SweepPlot plot = sweep_plot(some_sweep());
    ASSERT_EQ(plot.crossovers.size(), 2U);
    EXPECT_EQ(plot.crossovers[0].from, 3U);
    EXPECT_EQ(plot.crossovers[0].to, 1U);
    EXPECT_EQ(plot.crossovers[0].value, 2);
    EXPECT_EQ(plot.crossovers[1].from, 1U);
    EXPECT_EQ(plot.crossovers[1].to, 0U);
    EXPECT_NEAR(plot.crossovers[1].value, 4, 1e-9);
    EXPECT_NEAR(plot.crossovers[1].seconds, 4e-3, 1e-12);
    EXPECT_EQ(sweep_sentence(some_sweep(), plot),
              "The fastest: limited up to 2 px, rising up to 4 px, then flat.");
}

// Kernels within the noise of each other take turns by chance.
TEST(ViewerSweepPlot, TiesAreNoCrossovers) {
    SweepResult sweep = some_sweep();
    double sign = 1;
    for (SweepPoint& point : sweep.points) {
        RaceSnapshot race = *point.race;
        sign = -sign;
        race.step.kernels = {kernel_of("flat", 4e-3), kernel_of("equal", 4e-3 * (1 + sign * 2e-3))};
        point.race = std::make_shared<const RaceSnapshot>(race);
    }
    const SweepPlot plot = sweep_plot(sweep);
    EXPECT_TRUE(plot.crossovers.empty());
    EXPECT_EQ(sweep_sentence(sweep, plot), "The fastest: flat at every value.");
}

TEST(ViewerSweepPlot, CsvHasALineForEachKernelAndValue) {
    const auto path = clip_dir() / "sweep.csv";
    const SweepResult sweep = some_sweep();
    const RaceOrigin origin{"9.9", "generated pixels", "gaussian"};
    write_sweep(path.string(), sweep, origin, Overwrite::replace);
    EXPECT_THROW(write_sweep(path.string(), sweep, origin, Overwrite::refuse), Error);
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(text.str(), sweep_csv(sweep, origin));
    std::vector<std::string> lines;
    std::istringstream stream(text.str());
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 1U + 4 * 4);
    EXPECT_TRUE(lines[0].starts_with("parameter,value,width,height,kernel,planned,")) << lines[0];
    EXPECT_TRUE(lines[1].starts_with("sigma,1.0,64,36,flat,false,,12,4.0,")) << lines[1];
    EXPECT_TRUE(lines[16].starts_with("sigma,16.0,64,36,limited,false,,0,,")) << lines[16];
    EXPECT_EQ(sweep_csv({}, origin), "");
}

}  // namespace
}  // namespace weft::test
