// The choice of the frame to show: made-up times, no pixels.
#include "app/viewer/screen/presenter.h"

#include <thread>

#include <gtest/gtest.h>

namespace weft {
namespace {

ShownFramePtr frame(double seconds, std::uint64_t serial = 1) {
    auto shown = std::make_shared<ShownFrame>();
    shown->played.seconds = seconds;
    shown->played.serial = serial;
    return shown;
}

class ViewerPresenter : public testing::Test {
 protected:
    void push(double seconds, std::uint64_t serial = 1) {
        ASSERT_TRUE(presenter_.push(frame(seconds, serial), {}));
    }
    Presenter presenter_;
};

TEST_F(ViewerPresenter, TheFirstFrameOfASerialIsAlwaysDue) {
    push(7.0);
    const Presented first = presenter_.take(1, 0.0);
    ASSERT_TRUE(first.frame);
    EXPECT_TRUE(first.first_of_serial);
    EXPECT_EQ(first.late, 0);
}

TEST_F(ViewerPresenter, LaterFramesWaitForTheirTime) {
    push(0.0);
    (void)presenter_.take(1, 0.0);
    push(0.04);
    EXPECT_FALSE(presenter_.take(1, 0.039).frame);
    EXPECT_EQ(presenter_.next_due(1), 0.04);
    const Presented due = presenter_.take(1, 0.04);
    ASSERT_TRUE(due.frame);
    EXPECT_FALSE(due.first_of_serial);
    EXPECT_EQ(presenter_.next_due(1), std::nullopt);
}

TEST_F(ViewerPresenter, TheLastDueFrameIsShownAndOthersCounted) {
    push(0.0);
    (void)presenter_.take(1, 0.0);
    push(0.04);
    push(0.08);
    push(0.12);
    const Presented due = presenter_.take(1, 0.1);
    ASSERT_TRUE(due.frame);
    EXPECT_EQ(due.frame->played.seconds, 0.08);
    EXPECT_EQ(due.late, 1);
    EXPECT_EQ(presenter_.next_due(1), 0.12);
}

TEST_F(ViewerPresenter, ARefilteredFrameIsDueAndNotLate) {
    push(3.0);
    (void)presenter_.take(1, 3.0);
    push(3.0);
    push(3.0);
    const Presented again = presenter_.take(1, 0.0);
    ASSERT_TRUE(again.frame);
    EXPECT_EQ(again.late, 0);
}

TEST_F(ViewerPresenter, FramesOfAnOlderSerialAreDropped) {
    for (std::size_t k = 0; k < Presenter::kAhead; ++k) push(1.0 + static_cast<double>(k));
    std::jthread pushes([&] { (void)presenter_.push(frame(9.0, 2), {}); });
    while (!presenter_.take(2, 0.0).frame) std::this_thread::yield();
    EXPECT_FALSE(presenter_.next_due(1));
}

TEST_F(ViewerPresenter, AStopRequestEndsAWaitingPush) {
    for (std::size_t k = 0; k < Presenter::kAhead; ++k) push(1.0 + static_cast<double>(k));
    std::stop_source stop;
    bool pushed = true;
    std::jthread pushes([&] { pushed = presenter_.push(frame(9.0), stop.get_token()); });
    stop.request_stop();
    pushes.join();
    EXPECT_FALSE(pushed);
}

}  // namespace
}  // namespace weft
