// Stacks replayed as CUDA graphs write what ordinary launches write, bit for bit.
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/media/picture/frame_memory.h"
#include "app/pipeline/stack/stack_runner.h"
#include "app/pipeline/stack/step_graphs.h"
#include "kernels/device/stream.h"
#include "kernels/pixels/pixel_ops.h"
#include "kernels/plane_views.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

constexpr int kWidth = 131;
constexpr int kHeight = 67;
constexpr int kFrames = 40;  // on the device, each in its own buffer
static_assert(kFrames > static_cast<int>(kMostGraphs));

// A frame's planes in device memory.
class DeviceFrame {
 public:
    explicit DeviceFrame(const AVFrame& like) {
        for (const ImageView& plane : plane_views(like)) {
            buffers_.emplace_back(plane.width, plane.height, plane.channels, plane.type,
                                  Allocation::device);
            views_.push_back(buffers_.back().view());
        }
    }
    const PlaneViews& views() const { return views_; }
    void take(const AVFrame& frame) const { copy(plane_views(frame), views_); }
    void give(const AVFrame& frame) const { copy(views_, plane_views(frame)); }

 private:
    static void copy(std::span<const ImageView> from, std::span<const ImageView> to) {
        const Stream stream;
        for (std::size_t p = 0; p < from.size(); ++p) copy_image(from[p], to[p], stream.view());
        stream.synchronize();
    }

    std::vector<ImageBuffer> buffers_;
    PlaneViews views_;
};

enum class Where { host, device };

// One frame with its source and its target.
class TestFrame {
 public:
    TestFrame(const FormatRow& row, unsigned seed, Where from, Where to)
        : source_(random_frame(row, kWidth, kHeight, seed)), result_(new_frame_like(*source_)) {
        if (from == Where::device) from_.emplace(*source_).take(*source_);
        if (to == Where::device) to_.emplace(*source_);
    }
    const AVFrame& host() const { return *source_; }
    PlaneViews source() const { return views(from_, *source_); }
    PlaneViews target() const { return views(to_, *result_); }
    std::vector<std::byte> result() const {
        if (to_) to_->give(*result_);
        return bytes_of(*result_);
    }

 private:
    static PlaneViews views(const std::optional<DeviceFrame>& device, const AVFrame& host) {
        return device ? device->views() : plane_views(host);
    }

    AVFramePtr source_, result_;
    std::optional<DeviceFrame> from_, to_;
};

std::vector<TestFrame> test_frames(const FormatRow& row, Where from, Where to) {
    std::vector<TestFrame> frames;
    for (unsigned seed = 0; seed < kFrames; ++seed) frames.emplace_back(row, seed, from, to);
    return frames;
}

// Keeps as many frames in flight as allowed.
template <class Filter>
std::vector<std::vector<std::byte>> results_of(Filter& filter,
                                               const std::vector<TestFrame>& frames) {
    std::size_t finished = 0;
    for (std::size_t k = 0; k < frames.size(); ++k) {
        if (k - finished == filter.most_in_flight()) {
            filter.finish();
            ++finished;
        }
        filter.submit(frames[k].source(), frames[k].target());
    }
    for (; finished < frames.size(); ++finished) filter.finish();
    std::vector<std::vector<std::byte>> results;
    results.reserve(frames.size());
    for (const TestFrame& frame : frames) results.push_back(frame.result());
    return results;
}

std::string repeated(const std::string& step, int times) {
    std::string stack = step;
    for (int k = 1; k < times; ++k) stack += "," + step;
    return stack;
}

struct GraphCase {
    std::string name = {};
    std::string stack = {};
    int replays = 0;  // over all frames
    Where from = Where::host, to = Where::host;
    AVPixelFormat format = AV_PIX_FMT_YUV420P;
    std::string kernel = {};
};

// Every frame but the first, which uses plain launches.
constexpr int kLater = kFrames - 1;

const GraphCase kCases[] = {
    {"one_step", "gaussian=sigma=1", kLater},
    {"one_launch", "gaussian=sigma=1", 0, Where::host, Where::host, AV_PIX_FMT_GRAY8},
    {"two_steps", "gaussian=sigma=1,sobel", kLater},
    {"eight_steps", repeated("gaussian=sigma=1", 8), kLater},
    {"sixteen_steps", repeated("gaussian=sigma=1", 16), kLater},
    {"ten_bits", "gaussian=sigma=2,box,sharpen", kLater, Where::host, Where::host,
     AV_PIX_FMT_YUV422P10LE},
    {"nv12", "gaussian=sigma=1,sobel,box", kLater, Where::host, Where::host, AV_PIX_FMT_NV12},
    {"some_planes", "box=planes=y,gaussian=sigma=2:planes=u,box=planes=y,box=planes=y", kLater},
    {"gray_detour", "sobel,gaussian=sigma=1,kirsch", kLater, Where::host, Where::host,
     AV_PIX_FMT_RGB24},
    {"gray_detour_planar", "sobel,kirsch", kLater, Where::host, Where::host, AV_PIX_FMT_GBRP},
    // Needs two earlier frames: plain launches until the fourth.
    {"history", "gaussian=sigma=2,tmix=frames=3,sobel", kFrames - 3},
    {"black_first", "box,frame_difference", kFrames - 2},
    {"histories_apart", "tmix=frames=8,tmix=frames=6,box", (kFrames - 8) + (kFrames - 6)},
    {"history_too_long", "box,tmix=frames=12,box", 2 * kLater},
    {"fft",
     "convolve=matrix='0.1 0.2 0.1; 0.3 0.1 0.2; 0.1 0.05 0.15',"
     "convolve=matrix='0.1 0.2 0.1; 0.2 0.3 0.2; 0.1 0.2 0.15':scale=0.7",
     kLater, Where::host, Where::host, AV_PIX_FMT_GRAY8, "fft"},
    {"im2col_gemm",
     "convolve=matrix='1 2 3; 4 5 6; 7 8 9':scale=1/45,"
     "convolve=matrix='3 2 1; 4 5 6; 9 8 7':scale=1/45",
     kLater, Where::host, Where::host, AV_PIX_FMT_YUV420P, "im2col_gemm"},
    {"tensor_int8",
     "convolve=matrix='1 2 3; 4 5 6; 7 8 9':scale=1/45,"
     "convolve=matrix='3 2 1; 4 5 6; 9 8 7':scale=1/45",
     kLater, Where::host, Where::host, AV_PIX_FMT_YUV420P, "tensor_int8"},
    // Steps at either end of the stack use plain launches.
    {"device_one_step", "gaussian=sigma=1", 0, Where::device, Where::device, AV_PIX_FMT_NV12},
    {"device_two_steps", "gaussian=sigma=1,sobel", 0, Where::device, Where::device,
     AV_PIX_FMT_NV12},
    {"device_eight_steps", repeated("gaussian=sigma=1", 8), kLater, Where::device, Where::device,
     AV_PIX_FMT_NV12},
    {"device_sixteen_steps", repeated("gaussian=sigma=1", 16), kLater, Where::device,
     Where::device},
    {"device_history", "gaussian=sigma=2,tmix=frames=3,box,sobel", kFrames - 3, Where::device,
     Where::device},
    {"device_gray_detour", "sobel,gaussian=sigma=1,kirsch,sobel", kLater, Where::device,
     Where::device, AV_PIX_FMT_RGB24},
    {"from_device", "gaussian=sigma=1,sobel", kLater, Where::device, Where::host},
    {"to_device", "gaussian=sigma=1,sobel", kLater, Where::host, Where::device},
};

StackPlan plan_of(const GraphCase& c, const AVFrame& like) {
    return plan_stack(parse_stack(c.stack), frame_info(like, 0), first_gpu(),
                      {.every_step = c.kernel});
}

class GpuPipelineGraphs : public NeedsGpu<testing::TestWithParam<GraphCase>> {};

TEST_P(GpuPipelineGraphs, WriteWhatLaunchesWrite) {
    const GraphCase& c = GetParam();
    use_device(first_gpu());
    const std::vector<TestFrame> frames = test_frames(format_row(c.format), c.from, c.to);
    StackPlan plan;
    try {
        plan = plan_of(c, frames.front().host());
    } catch (const Error& error) {
        if (c.kernel.empty()) throw;
        GTEST_SKIP() << error.what();
    }
    StackRunner launched(plan, false);
    StackRunner replayed(plan);
    const auto want = results_of(launched, frames);
    const auto got = results_of(replayed, frames);
    for (std::size_t k = 0; k < frames.size(); ++k) EXPECT_EQ(got[k], want[k]) << "frame " << k;
    EXPECT_EQ(launched.times().replays, 0);
    EXPECT_EQ(replayed.times().replays, c.replays);
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        const StepTimes& times = replayed.times().steps[s];
        EXPECT_EQ(times.launches, launched.times().steps[s].launches) << "step " << s;
        EXPECT_EQ(times.frames.count(), kFrames) << "step " << s;
        EXPECT_GT(times.last_seconds, 0) << "step " << s;
        EXPECT_LT(times.last_seconds, 1) << "step " << s;
    }
}

INSTANTIATE_TEST_SUITE_P(All, GpuPipelineGraphs, testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

class GpuPipelineGraphsOf : public NeedsGpu<testing::Test> {
 protected:
    void SetUp() override {
        NeedsGpu<testing::Test>::SetUp();
        if (!IsSkipped()) use_device(first_gpu());
    }
};

TEST_F(GpuPipelineGraphsOf, BothFieldsWriteWhatLaunchesWrite) {
    const auto frames = test_frames(format_row(AV_PIX_FMT_YUV420P), Where::host, Where::host);
    const Stack stack = parse_stack("gaussian=sigma=1,tmix=frames=3,sobel");
    const auto plans =
        plan_frames(stack, frame_info(frames.front().host(), 0), first_gpu(), {}, Fields::split);
    StackRunner replayed(plans);
    const auto got = results_of(replayed, frames);
    EXPECT_EQ(replayed.times().replays, 2 * (kFrames - 3));
    StackRunner even(plans.at(0), false);
    StackRunner odd(plans.at(1), false);
    for (std::size_t k = 0; k < frames.size(); ++k) {
        even.run(field_views(frames[k].source(), 0), field_views(frames[k].target(), 0));
        odd.run(field_views(frames[k].source(), 1), field_views(frames[k].target(), 1));
        EXPECT_EQ(got[k], frames[k].result()) << "frame " << k;
    }
}

// The memory of frames, an observer and a release each change which work can be replayed.
TEST_F(GpuPipelineGraphsOf, ChangesInMidStreamWriteWhatLaunchesWrite) {
    const FormatRow& row = format_row(AV_PIX_FMT_YUV420P);
    std::vector<TestFrame> frames;
    for (unsigned k = 0; k < 60; ++k) {
        const bool device = k / 12 % 2 == 1 || (k > 36 && k % 2 == 1);
        frames.emplace_back(row, k, device ? Where::device : Where::host,
                            k % 24 < 18 ? Where::host : Where::device);
    }
    const GraphCase c{.stack = "gaussian=sigma=1,tmix=frames=3,box,sobel"};
    StackRunner launched(plan_of(c, frames.front().host()), false);
    StackRunner replayed(plan_of(c, frames.front().host()));
    EXPECT_EQ(results_of(replayed, frames), results_of(launched, frames));
    EXPECT_GT(replayed.times().replays, 0);

    int seen = 0;
    const auto before = replayed.times().replays;
    replayed.observe([&](std::size_t, std::span<const ImageView>, StreamView) { ++seen; });
    EXPECT_EQ(results_of(replayed, frames), results_of(launched, frames));
    EXPECT_EQ(replayed.times().replays, before);
    EXPECT_EQ(seen, 60 * 4);
    replayed.observe({});
    EXPECT_EQ(results_of(replayed, frames), results_of(launched, frames));

    replayed.release();
    launched.release();
    EXPECT_EQ(results_of(replayed, frames), results_of(launched, frames));
    EXPECT_GT(replayed.times().replays, before);
}

}  // namespace
}  // namespace weft::test
