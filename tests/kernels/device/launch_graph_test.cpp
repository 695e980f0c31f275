// Graphs replay recorded launches, can be timed, and leave a stream usable if recording fails.
#include "kernels/device/launch_graph.h"

#include <optional>
#include <stdexcept>
#include <type_traits>

#include <gtest/gtest.h>

#include "kernels/device/cuda_error.h"
#include "kernels/device/gl_buffer.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/device/gpu.h"

namespace weft::test {
namespace {

template <class Owner>
constexpr bool moves_only() {
    return std::is_nothrow_move_constructible_v<Owner> &&
           std::is_nothrow_move_assignable_v<Owner> && !std::is_copy_constructible_v<Owner>;
}
static_assert(moves_only<LaunchGraph>());
static_assert(moves_only<Stream>());
static_assert(moves_only<StreamEvent>());
static_assert(moves_only<GpuTimer>());
static_assert(moves_only<GlBuffer>());

class GpuLaunchGraph : public NeedsGpu<testing::Test> {
 protected:
    void SetUp() override {
        NeedsGpu<testing::Test>::SetUp();
        if (IsSkipped()) return;
        use_device(first_gpu());
        image_ = {64, 8, 1, PixelType::u8, Allocation::device};
        host_ = {64, 8, 1, PixelType::u8, Allocation::pinned};
        stream_.emplace();
        fill(1);  // loads the kernel, which is impossible during capture
    }
    void fill(float value) { fill_channels(image_.view(), value, 1, stream_->view()); }
    int first_pixel() {
        copy_image(image_.view(), host_.view(), stream_->view());
        stream_->synchronize();
        return std::to_integer<int>(*host_.view().row(0));
    }

    ImageBuffer image_, host_;
    std::optional<Stream> stream_;
};

TEST_F(GpuLaunchGraph, ReplaysWhatItRecorded) {
    const LaunchGraph graph(stream_->view(), [&] { fill(7); });
    EXPECT_EQ(first_pixel(), 1) << "it ran while it was recorded";
    for (int k = 0; k < 3; ++k) {
        graph.replay(stream_->view());
        EXPECT_EQ(first_pixel(), 7);
        fill(9);
        EXPECT_EQ(first_pixel(), 9);
    }
}

TEST_F(GpuLaunchGraph, TimersWithinItTimeEachReplay) {
    GpuTimer before, within;
    const LaunchGraph graph(stream_->view(), [&] {
        within.start(stream_->view());
        fill(7);
        within.stop(stream_->view());
    });
    double last = -1;
    before.start(stream_->view());
    for (int k = 0; k < 4; ++k) {
        graph.replay(stream_->view());
        stream_->synchronize();
        EXPECT_GT(within.seconds(), 0);
        EXPECT_GT(within.seconds_after(before), last);
        last = within.seconds_after(before);
    }
    within.start(stream_->view());  // the same timer without a graph
    within.stop(stream_->view());
    EXPECT_GE(within.seconds(), 0);
    EXPECT_GT(within.seconds_after(before), last);
}

TEST_F(GpuLaunchGraph, FailsCleanlyWhereSomethingCannotBeRecorded) {
    EXPECT_THROW(LaunchGraph(stream_->view(),
                             [&] {
                                 fill(7);
                                 stream_->synchronize();
                             }),
                 CudaError);
    fill(3);
    EXPECT_EQ(first_pixel(), 3);
    EXPECT_THROW(LaunchGraph(stream_->view(),
                             [&] {
                                 fill(7);
                                 throw std::logic_error("stop");
                             }),
                 std::logic_error);
    fill(4);
    EXPECT_EQ(first_pixel(), 4);
    const LaunchGraph graph(stream_->view(), [&] { fill(8); });
    graph.replay(stream_->view());
    EXPECT_EQ(first_pixel(), 8);
}

}  // namespace
}  // namespace weft::test
