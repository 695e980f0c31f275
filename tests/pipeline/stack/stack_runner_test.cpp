// Stacks over frames of every layout, on the CPU, against the oracle.
#include "app/pipeline/stack/stack_runner.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/media/libav/error.h"
#include "app/media/picture/frame_memory.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

constexpr int kWidth = 33;  // odd, so that chroma planes round up
constexpr int kHeight = 17;

class StackRun {
 public:
    StackRun(const std::string& stack, const AVFrame& like, const Device& device = cpu_device())
        : runner_(plan_stack(parse_stack(stack), frame_info(like, 0), device)) {}

    AVFramePtr operator()(const AVFrame& frame) {
        AVFramePtr out = new_frame_like(frame);
        runner_.run(plane_views(frame), plane_views(*out));
        return out;
    }
    const StackRunner& runner() const { return runner_; }

 private:
    StackRunner runner_;
};

Operation operation_of(const std::string& step, const FrameInfo& info) {
    const Stack stack = parse_stack(step);
    return stack.at(0).filter->make(stack[0].params, info);
}

bool filters_component(const Operation& operation, Component c) {
    return std::ranges::find(operation.selection.filtered, c) != operation.selection.filtered.end();
}

bool is_colour_difference(Component c) {
    return c == Component::u || c == Component::v;
}

// One component of a step without RGB luma, computed by the oracle.
oracle::Answer expected_component(const AVFrame& source, const FormatRow& row,
                                  const Operation& operation, std::size_t k) {
    const Component c = row.components[k].component;
    const oracle::Image image = component_image(source, row, c);
    if (filters_component(operation, c))
        return expected(image, std::get<Convolution>(operation.compute), k, row.depth);
    oracle::Answer same;
    same.want = image;
    same.low = same.high = image.samples;
    if (operation.selection.neutral_chroma && is_colour_difference(c)) {
        same.low.assign(image.samples.size(), 1 << (row.depth - 1));
        same.high = same.low;
    }
    return same;
}

struct PlanarCase {
    const char* stack;
    bool rgb;  // also valid for RGB: the step does not use luma
};

class PipelineStackRunnerFormats : public testing::TestWithParam<FormatRow> {};

TEST_P(PipelineStackRunnerFormats, ComponentsMatchOracle) {
    const FormatRow& row = GetParam();
    const bool rgb = row.components.front().component == Component::r;
    const AVFramePtr source = random_frame(row, kWidth, kHeight, 7);
    for (const auto& [stack, right_for_rgb] : {
             PlanarCase{"convolve=matrix='1 -2 3; 4 5 -6; -7 8 9':scale=1/8:bias=3", true},
             PlanarCase{"convolve=matrix='0 1 0 0 2; 1 0 3 0 1':scale=0.2", true},
             PlanarCase{"gaussian=sigma=1.3", true},
             PlanarCase{"gaussian=sigma=12", true},
             PlanarCase{"box=radius=2", true},
             PlanarCase{"sobel", false},
             PlanarCase{"kirsch", false},
         }) {
        if (rgb && !right_for_rgb) continue;
        const Operation operation = operation_of(stack, frame_info(*source, 0));
        StackRun run(stack, *source);
        const AVFramePtr out = run(*source);
        for (std::size_t k = 0; k < row.components.size(); ++k)
            EXPECT_EQ(first_difference(expected_component(*source, row, operation, k),
                                       component_image(*out, row, row.components[k].component)),
                      "")
                << stack << ", component " << k;
    }
}

TEST_P(PipelineStackRunnerFormats, SelectedComponentAloneChanges) {
    const FormatRow& row = GetParam();
    const AVFramePtr source = random_frame(row, kWidth, kHeight, 8);
    for (std::size_t chosen = 0; chosen < row.components.size(); ++chosen) {
        const std::string stack =
            fmt::format("convolve=matrix='0 1 0; 1 -3 2; 0 1 1':planes={}",
                        "yuvrgba"[static_cast<int>(row.components[chosen].component)]);
        const Operation operation = operation_of(stack, frame_info(*source, 0));
        ASSERT_EQ(operation.selection.filtered.size(), 1U) << stack;
        StackRun run(stack, *source);
        const AVFramePtr out = run(*source);
        for (std::size_t k = 0; k < row.components.size(); ++k)
            EXPECT_EQ(first_difference(expected_component(*source, row, operation, k),
                                       component_image(*out, row, row.components[k].component)),
                      "")
                << stack << ", component " << k;
    }
}

// Integer matrices are exact, so a stack equals its steps one after the other.
TEST_P(PipelineStackRunnerFormats, StackEqualsItsSteps) {
    const FormatRow& row = GetParam();
    const std::vector<std::string> steps = {"convolve=matrix='1 2 1; 0 0 0; 1 2 1':scale=1/8",
                                            "box=radius=1:planes=1", "sobel",
                                            "convolve=matrix='0 1 0; 1 -4 1; 0 1 0':bias=9"};
    const AVFramePtr source = random_frame(row, kWidth, kHeight, 9);
    AVFramePtr step_by_step = random_frame(row, kWidth, kHeight, 9);
    for (const std::string& step : steps) {
        StackRun run(step, *source);
        step_by_step = run(*step_by_step);
    }
    StackRun run(fmt::format("{}", fmt::join(steps, ",")), *source);
    const AVFramePtr at_once = run(*source);
    for (const ComponentPlace& place : row.components)
        EXPECT_EQ(component_image(*at_once, row, place.component).samples,
                  component_image(*step_by_step, row, place.component).samples);
}

std::string format_name(const testing::TestParamInfo<FormatRow>& info) {
    return av_get_pix_fmt_name(info.param.format);
}

bool same_components(const AVFrame& a, const AVFrame& b, const FormatRow& row) {
    return std::ranges::all_of(row.components, [&](const ComponentPlace& place) {
        return component_image(a, row, place.component).samples ==
               component_image(b, row, place.component).samples;
    });
}

// Planes that two or three steps write, that only a later step writes, or that none does.
constexpr const char* kStacks[] = {"box",
                                   "box,gaussian",
                                   "box,gaussian,sobel",
                                   "box=planes=yr,gaussian",
                                   "sobel=planes=yr,box=planes=yr",
                                   "temporal_average=frames=2,box"};

// The pixels may be gone once the runner has reported them as read.
TEST_P(PipelineStackRunnerFormats, SourceIsNotReadAfterTheReport) {
    const FormatRow& row = GetParam();
    const AVFramePtr source = random_frame(row, kWidth, kHeight, 3);
    const AVFramePtr noise = random_frame(row, kWidth, kHeight, 4);
    for (const char* stack : kStacks) {
        const AVFramePtr want = StackRun(stack, *source)(*source);
        const AVFramePtr lost = random_frame(row, kWidth, kHeight, 3);
        const AVFramePtr got = new_frame_like(*source);
        StackRunner runner(plan_stack(parse_stack(stack), frame_info(*source, 0), cpu_device()));
        int calls = 0;
        runner.run(plane_views(*lost), plane_views(*got), [&] {
            ++calls;
            av_check(av_frame_copy(lost.get(), noise.get()), "overwriting", "the source");
        });
        EXPECT_EQ(calls, 1) << stack;
        EXPECT_TRUE(same_components(*got, *want, row)) << stack;
    }
}

TEST_P(PipelineStackRunnerFormats, RunsAgainAfterRelease) {
    const FormatRow& row = GetParam();
    const AVFramePtr source = random_frame(row, kWidth, kHeight, 3);
    for (const char* stack : kStacks) {
        const AVFramePtr want = StackRun(stack, *source)(*source);
        const AVFramePtr got = new_frame_like(*source);
        StackRunner runner(plan_stack(parse_stack(stack), frame_info(*source, 0), cpu_device()));
        runner.run(plane_views(*want), plane_views(*got));
        runner.release();
        runner.run(plane_views(*source), plane_views(*got));
        EXPECT_TRUE(same_components(*got, *want, row)) << stack << ": it remembers";
        EXPECT_EQ(runner.times().kernels.count(), 2) << stack;
    }
}

INSTANTIATE_TEST_SUITE_P(All, PipelineStackRunnerFormats, testing::ValuesIn(format_rows()),
                         format_name);

// Luma of RGB is rounded to samples before filtering and written to r, g and b; alpha stays.
TEST(PipelineStackRunner, LumaFilterOnRgb) {
    for (AVPixelFormat format : {AV_PIX_FMT_RGB24, AV_PIX_FMT_BGRA, AV_PIX_FMT_GBRP}) {
        const FormatRow& row = format_row(format);
        const AVFramePtr source = random_frame(row, kWidth, kHeight, 3);
        const Operation operation = operation_of("sobel", frame_info(*source, 0));
        ASSERT_TRUE(operation.selection.rgb_luma);
        oracle::Image luma = component_image(*source, row, Component::r);
        const oracle::Image g = component_image(*source, row, Component::g);
        const oracle::Image b = component_image(*source, row, Component::b);
        for (std::size_t k = 0; k < luma.samples.size(); ++k)
            luma.samples[k] = oracle::round_half_even(0.299 * luma.samples[k] +
                                                      0.587 * g.samples[k] + 0.114 * b.samples[k]);
        const oracle::Answer answer =
            expected(luma, std::get<Convolution>(operation.compute), 0, row.depth);
        StackRun run("sobel", *source);
        const AVFramePtr out = run(*source);
        for (Component c : {Component::r, Component::g, Component::b})
            EXPECT_EQ(first_difference(answer, component_image(*out, row, c)), "")
                << av_get_pix_fmt_name(format);
        if (row.components.size() == 4) {
            EXPECT_EQ(component_image(*out, row, Component::a).samples,
                      component_image(*source, row, Component::a).samples);
        }
    }
}

// Sums over r, g and b are finished by the first entry and written to all three; alpha stays.
TEST(PipelineStackRunner, BankOnRgb) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("weft-rgb-bank-" + std::to_string(::getpid()));
    std::ofstream(file) << "1 2 3; 4 5 -6 | 0 1 0; 1 -4 2; 0 1 0 | 3\n|\n-1 0 2 | 2; 1; -1 | 1 1";
    for (AVPixelFormat format : {AV_PIX_FMT_RGB24, AV_PIX_FMT_BGRA, AV_PIX_FMT_GBRP}) {
        const FormatRow& row = format_row(format);
        const AVFramePtr source = random_frame(row, kWidth, kHeight, 5);
        const std::string stack =
            "bank=file=" + file.string() + ":in=rgb:combine=magnitude:scale=1/16:bias=5";
        const Operation operation = operation_of(stack, frame_info(*source, 0));
        oracle::Image rgb{kWidth, kHeight, 3, {}};
        rgb.samples.resize(rgb.index(0, kHeight, 0));
        for (int c = 0; c < 3; ++c) {
            const oracle::Image one = component_image(
                *source, row, std::array{Component::r, Component::g, Component::b}.at(c));
            for (std::size_t k = 0; k < one.samples.size(); ++k)
                rgb.samples[3 * k + static_cast<std::size_t>(c)] = one.samples[k];
        }
        const oracle::Answer answer =
            expected(rgb, std::get<Convolution>(operation.compute), 0, row.depth);
        StackRun run(stack, *source);
        const AVFramePtr out = run(*source);
        for (Component c : {Component::r, Component::g, Component::b})
            EXPECT_EQ(first_difference(answer, component_image(*out, row, c)), "")
                << av_get_pix_fmt_name(format);
        if (row.components.size() == 4) {
            EXPECT_EQ(component_image(*out, row, Component::a).samples,
                      component_image(*source, row, Component::a).samples);
        }
    }
    std::filesystem::remove(file);
}

// s = sum of weights * frames, the first frame repeated before the start.
double blended(const TemporalBlend& blend, const std::vector<oracle::Image>& frames, std::size_t t,
               std::size_t k, double max_value) {
    double sum = 0;
    for (std::size_t age = 0; age < blend.weights.size(); ++age)
        sum += static_cast<double>(blend.weights[age]) * frames[t - std::min(age, t)].samples[k];
    if (blend.absolute) sum = std::abs(sum);
    double value = sum * blend.scale + blend.bias;
    if (value < blend.threshold) value = 0;
    return std::clamp(oracle::round_half_even(value), 0.0, max_value);
}

TEST(PipelineStackRunner, TemporalStepsRememberFrames) {
    for (AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV422P10LE}) {
        const FormatRow& row = format_row(format);
        const int max_value = (1 << row.depth) - 1;
        for (const char* stack : {"frame_difference", "frame_difference=gain=2:threshold=20",
                                  "temporal_average=frames=4"}) {
            std::vector<oracle::Image> history;
            std::unique_ptr<StackRun> run;
            for (std::uint32_t t = 0; t < 7; ++t) {
                const AVFramePtr source = random_frame(row, kWidth, kHeight, 100 + t);
                if (!run) run = std::make_unique<StackRun>(stack, *source);
                history.push_back(component_image(*source, row, Component::y));
                const AVFramePtr out = (*run)(*source);
                const Operation operation = operation_of(stack, frame_info(*source, 0));
                const auto& blend = std::get<TemporalBlend>(operation.compute);
                const oracle::Image got = component_image(*out, row, Component::y);
                int off = 0;
                for (std::size_t k = 0; k < got.samples.size(); ++k) {
                    const double want =
                        t == 0 && blend.black_first ? 0 : blended(blend, history, t, k, max_value);
                    // A mean of four is a dyadic fraction and exact; nothing here needs a bound.
                    if (got.samples[k] != want) ++off;
                }
                EXPECT_EQ(off, 0) << stack << ", frame " << t;
            }
        }
    }
}

// A temporal step after another step remembers that step's output, not the source.
TEST(PipelineStackRunner, TemporalStepSeesTheStepBefore) {
    const FormatRow& row = format_row(AV_PIX_FMT_GRAY8);
    const std::string first = "convolve=matrix='0 1 0; 1 2 1; 0 1 0':scale=1/6";
    const std::string second = "temporal_average=frames=2";
    const std::string stack = first + "," + second;
    std::unique_ptr<StackRun> one, two, both;
    for (std::uint32_t t = 0; t < 5; ++t) {
        const AVFramePtr source = random_frame(row, kWidth, kHeight, 40 + t);
        if (!one) {
            one = std::make_unique<StackRun>(first, *source);
            two = std::make_unique<StackRun>(second, *source);
            both = std::make_unique<StackRun>(stack, *source);
        }
        const AVFramePtr middle = (*one)(*source);
        const AVFramePtr want = (*two)(*middle);
        const AVFramePtr got = (*both)(*source);
        EXPECT_EQ(component_image(*got, row, Component::y).samples,
                  component_image(*want, row, Component::y).samples)
            << "frame " << t;
    }
}

TEST(PipelineStackRunner, CountsLaunchesAndTimes) {
    const FormatRow& row = format_row(AV_PIX_FMT_YUV420P);
    const AVFramePtr source = random_frame(row, kWidth, kHeight, 1);
    StackRun run("gaussian,sobel", *source);
    for (int t = 0; t < 3; ++t) run(*source);
    const StackTimes& times = run.runner().times();
    ASSERT_EQ(times.steps.size(), 2U);
    EXPECT_EQ(times.steps[0].launches, 9);  // three planes, three frames
    EXPECT_EQ(times.steps[1].launches, 9);  // luma, and two planes made neutral
    EXPECT_EQ(times.steps[0].frames.count(), 3);
    EXPECT_EQ(times.kernels.count(), 3);
    EXPECT_EQ(times.upload.count(), 0);  // the CPU copies nothing
}

TEST(PipelineStackRunner, StepsThatChangeNothingAreNotRun) {
    for (AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV422P10LE}) {
        const AVFramePtr source = random_frame(format_row(format), kWidth, kHeight, 1);
        for (const char* idle : {"gaussian=sigma=0", "box=radius=0", "sharpen=amount=0",
                                 "convolve=matrix='0 0 0; 0 1 0; 0 0 0'"}) {
            StackRun alone(idle, *source);
            EXPECT_EQ(bytes_of(*alone(*source)), bytes_of(*source)) << idle;
            EXPECT_EQ(alone.runner().times().steps[0].launches, 0) << idle;
            EXPECT_EQ(alone.runner().plan().steps[0].kernel_names(), "none") << idle;
            StackRun between(fmt::format("sobel,{},box", idle), *source);
            EXPECT_EQ(bytes_of(*between(*source)),
                      bytes_of(*StackRun("sobel,box", *source)(*source)))
                << idle;
        }
    }
}

TEST(PipelineStackRunner, ForcedKernelThatCannotRunIsUsage) {
    const FormatRow& row = format_row(AV_PIX_FMT_GRAY8);
    const AVFramePtr source = random_frame(row, 8, 8, 1);
    const FrameInfo info = frame_info(*source, 0);
    try {
        plan_stack(parse_stack("box"), info, cpu_device(), {.every_step = "column_row_reuse"});
        FAIL() << "a GPU kernel was planned for the CPU";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        EXPECT_NE(std::string(error.what()).find("box: "), std::string::npos) << error.what();
    }
}

TEST(PipelineStackRunner, EachStepHasAForcedKernelOfItsOwn) {
    const FormatRow& row = format_row(AV_PIX_FMT_GRAY8);
    const FrameInfo info = frame_info(*random_frame(row, 8, 8, 1), 0);
    const auto plan = [&](const ForcedKernels& forced) {
        return plan_stack(parse_stack("box,sobel"), info, cpu_device(), forced);
    };
    const StackPlan second = plan({.by_step = {"", "opencv_cpu"}});
    EXPECT_EQ(second.steps[0].reason(), plan({}).steps[0].reason());
    EXPECT_THAT(second.steps[1].reason(), testing::HasSubstr("asked for by name"));
    EXPECT_THAT(
        plan({.every_step = "direct", .by_step = {"opencv_cpu", "opencv_cpu"}}).steps[0].reason(),
        testing::HasSubstr("asked for by name"));
    EXPECT_THAT(
        [&] {
            (void)plan({.by_step = {"", "opencv_cpu", "direct"}});
        },
        testing::ThrowsMessage<Error>("3 kernels were named for 2 steps"));
    try {
        (void)plan({.by_step = {"", "column_row_reuse"}});
        FAIL() << "a GPU kernel was planned for the CPU";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        EXPECT_THAT(error.what(), testing::StartsWith("sobel: kernel column_row_reuse cannot"));
    }
}

class GpuPipelineStackRunner : public testing::TestWithParam<FormatRow> {};

// By the contract, CPU and GPU differ by at most one level.
TEST_P(GpuPipelineStackRunner, MatchesTheCpu) {
    const GpuProbe probe = probe_gpus();
    if (probe.devices.empty()) GTEST_SKIP() << probe.why_none;
    const FormatRow& row = GetParam();
    for (const char* stack : {"gaussian=sigma=2", "sobel", "gaussian=sigma=20,kirsch",
                              "convolve=matrix='1 2 3; 4 5 6; 7 8 9':scale=1/45,box",
                              "temporal_average=frames=3,frame_difference"}) {
        const AVFramePtr like = random_frame(row, 131, 67, 0);
        StackRun on_cpu(stack, *like);
        StackRun on_gpu(stack, *like, probe.devices.front());
        for (std::uint32_t t = 0; t < 4; ++t) {
            const AVFramePtr source = random_frame(row, 131, 67, t);
            const AVFramePtr want = on_cpu(*source);
            const AVFramePtr got = on_gpu(*source);
            for (const ComponentPlace& place : row.components) {
                const auto a = component_image(*want, row, place.component).samples;
                const auto b = component_image(*got, row, place.component).samples;
                double worst = 0;
                for (std::size_t k = 0; k < a.size(); ++k)
                    worst = std::max(worst, std::abs(a[k] - b[k]));
                // A second step multiplies a level of difference by its gain: kirsch by 15.
                const bool amplifies = std::string(stack).find("kirsch") != std::string::npos;
                EXPECT_LE(worst, amplifies ? 16 : 2) << stack << ", frame " << t;
            }
        }
        EXPECT_EQ(on_gpu.runner().times().upload.count(), 4);
    }
}

INSTANTIATE_TEST_SUITE_P(All, GpuPipelineStackRunner, testing::ValuesIn(format_rows()),
                         format_name);

}  // namespace
class GpuPipelineFlights : public NeedsGpu<testing::Test> {};

// Copies of later frames overlap the kernels of earlier ones, and temporal steps need them in
// order.
TEST_F(GpuPipelineFlights, FramesInFlightEqualFramesFilteredAlone) {
    const std::string stack = "gaussian=sigma=2,tmix=frames=3,sobel";
    std::vector<AVFramePtr> sources, alone, together;
    for (unsigned k = 0; k < 9; ++k)
        sources.push_back(random_frame(format_row(AV_PIX_FMT_YUV420P), kWidth, kHeight, k));
    StackRun one(stack, *sources.front(), first_gpu());
    for (const AVFramePtr& source : sources) alone.push_back(one(*source));

    StackRunner runner(
        plan_stack(parse_stack(stack), frame_info(*sources.front(), 0), first_gpu()));
    FrameMemory page_locked(Allocation::pinned);
    std::size_t finished = 0, sources_read = 0;
    for (const AVFramePtr& source : sources) {
        // Results alternate between pageable and page-locked memory.
        together.push_back(
            together.size() % 2 == 0
                ? new_frame_like(*source)
                : page_locked.get(AV_PIX_FMT_YUV420P, source->width, source->height));
        if (together.size() - finished > runner.most_in_flight()) {
            runner.finish();
            ++finished;
        }
        runner.submit(plane_views(*source), plane_views(*together.back()), [&] { ++sources_read; });
    }
    while (finished < sources.size()) {
        runner.finish();
        ++finished;
    }
    EXPECT_EQ(sources_read, sources.size());
    EXPECT_EQ(runner.times().kernels.count(), sources.size());
    for (std::size_t k = 0; k < sources.size(); ++k)
        EXPECT_EQ(bytes_of(*together[k]), bytes_of(*alone[k])) << "frame " << k;
}

// On the steady clock, spans are close to the calls that began and ended them and do not overlap,
// because each frame here is waited for.
TEST_F(GpuPipelineFlights, TracedFramesAreOnTheirStreamsAtTheirTimes) {
    struct Span {
        std::string name;
        std::int64_t row, frame;
        double begin, end;  // microseconds since the trace was made
    };
    constexpr double kClocks = 10'000;  // microseconds: a busy machine reads its clocks late
    const AVFramePtr source = random_frame(format_row(AV_PIX_FMT_YUV420P), 640, 480, 1);
    const AVFramePtr result = new_frame_like(*source);
    StackRunner runner(
        plan_stack(parse_stack("gaussian=sigma=2,sobel"), frame_info(*source, 0), first_gpu()));
    const auto made = std::chrono::steady_clock::now();
    Trace trace;
    runner.trace(FileTrace(&trace, "a.mkv"));
    std::vector<double> submitted, finished;
    const auto now = [&] {
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - made)
            .count();
    };
    for (int frame = 0; frame < 9; ++frame) {
        submitted.push_back(now());
        runner.run(plane_views(*source), plane_views(*result));
        finished.push_back(now());
    }
    std::string text;
    trace.write([&](std::string_view piece) { text += piece; });
    std::vector<Span> spans;
    const nlohmann::json page = nlohmann::json::parse(text);
    for (const auto& event : page.at("traceEvents"))
        if (event.at("ph") == "X")
            spans.push_back({event.at("name"), event.at("tid"), event.at("args").at("frame"),
                             event.at("ts"),
                             event.at("ts").get<double>() + event.at("dur").get<double>()});
    ASSERT_EQ(spans.size(), 9U * 4);
    for (std::size_t k = 0; k < spans.size(); ++k) {
        const Span& span = spans[k];
        const auto frame = static_cast<std::size_t>(span.frame);
        EXPECT_EQ(frame, k / 4);
        EXPECT_EQ(span.row, static_cast<std::int64_t>(k / 4 % 3) + 1);
        EXPECT_GE(span.begin, submitted[frame] - kClocks) << span.name << " " << frame;
        EXPECT_LE(span.end, finished[frame] + kClocks) << span.name << " " << frame;
        if (k % 4 == 0) {
            EXPECT_EQ(span.name, "upload");
        }
        if (k > 0) {
            EXPECT_GE(span.begin, spans[k - 1].end - 2) << span.name << " " << frame;
        }
    }
    EXPECT_EQ(spans.back().name, "download");
}

}  // namespace weft::test
