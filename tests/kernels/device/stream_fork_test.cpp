// Branches of a stream see its earlier work, and its later work sees theirs: launched, recorded as
// a graph, and when one of them fails.
#include "kernels/device/stream_fork.h"

#include <optional>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/device/image_buffer.h"
#include "kernels/device/launch_graph.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/device/gpu.h"

namespace weft::test {
namespace {

TEST(KernelsStreamFork, RunsInOrderWithoutStreams) {
    StreamFork fork(0);
    std::vector<std::size_t> ran;
    fork.run(nullptr, 3, [&](std::size_t branch, StreamView stream) {
        EXPECT_EQ(stream, nullptr);
        ran.push_back(branch);
    });
    EXPECT_EQ(ran, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_THROW(
        fork.run(nullptr, 1, [](std::size_t, StreamView) { throw std::runtime_error("a branch"); }),
        std::runtime_error);
}

// Copies of 64 MiB, long enough for a branch that does not wait to read old pixels.
class GpuStreamFork : public NeedsGpu<testing::Test> {
 protected:
    static constexpr int kSide = 8192;
    static constexpr std::size_t kBranches = 3;

    void SetUp() override {
        NeedsGpu<testing::Test>::SetUp();
        if (IsSkipped()) return;
        use_device(first_gpu());
        for (ImageBuffer* image : {&source_, &out_[0], &out_[1], &out_[2]})
            *image = {kSide, kSide, 1, PixelType::u8, Allocation::device};
        host_ = {kSide, kSide, 1, PixelType::u8, Allocation::pinned};
        stream_.emplace();
        fork_.emplace(kBranches);
        enqueue(1);  // loads the kernels, which is impossible during capture
        stream_->synchronize();
    }
    // Fills the source, copies it in every branch, and clears it again.
    void enqueue(float value) {
        StreamView trunk = stream_->view();
        fill_channels(source_.view(), value, 1, trunk);
        fork_->run(trunk, kBranches, [&](std::size_t branch, StreamView stream) {
            copy_image(source_.view(), out_[branch].view(), stream);
        });
        fill_channels(source_.view(), 0, 1, trunk);
    }
    // The last pixel that a branch has written, seen from the trunk.
    int last_pixel(std::size_t branch) {
        copy_image(out_[branch].view(), host_.view(), stream_->view());
        stream_->synchronize();
        return std::to_integer<int>(host_.view().row(kSide - 1)[kSide - 1]);
    }

    ImageBuffer source_, host_;
    ImageBuffer out_[kBranches];
    std::optional<Stream> stream_;
    std::optional<StreamFork> fork_;
};

TEST_F(GpuStreamFork, BranchesAreOrderedWithTheTrunk) {
    for (const int value : {7, 8, 9}) {
        enqueue(static_cast<float>(value));
        for (std::size_t branch = 0; branch < kBranches; ++branch)
            EXPECT_EQ(last_pixel(branch), value) << branch;
    }
}

TEST_F(GpuStreamFork, IsRecordedAsOneGraph) {
    const LaunchGraph graph(stream_->view(), [&] { enqueue(7); });
    EXPECT_EQ(last_pixel(2), 1) << "it ran while it was recorded";
    for (int k = 0; k < 3; ++k) {
        graph.replay(stream_->view());
        for (std::size_t branch = 0; branch < kBranches; ++branch)
            EXPECT_EQ(last_pixel(branch), 7) << branch;
        enqueue(1);
    }
}

TEST_F(GpuStreamFork, AFailedBranchLeavesTheOthersOrdered) {
    fill_channels(source_.view(), 7, 1, stream_->view());
    EXPECT_THROW(fork_->run(stream_->view(), kBranches,
                            [&](std::size_t branch, StreamView stream) {
                                if (branch == 2) throw std::runtime_error("a branch");
                                copy_image(source_.view(), out_[branch].view(), stream);
                            }),
                 std::runtime_error);
    EXPECT_EQ(last_pixel(1), 7);
    EXPECT_EQ(last_pixel(2), 1);
    enqueue(8);
    EXPECT_EQ(last_pixel(2), 8);
}

}  // namespace
}  // namespace weft::test
