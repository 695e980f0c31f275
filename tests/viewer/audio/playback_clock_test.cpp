#include "app/viewer/audio/playback_clock.h"

#include <gtest/gtest.h>

namespace weft::test {
namespace {

SteadyTime at(double seconds) {
    return SteadyTime(
        std::chrono::round<SteadyTime::duration>(std::chrono::duration<double>(seconds)));
}

PlaybackClock running_from(double seconds, double since) {
    PlaybackClock clock;
    clock.set_paused(false, at(since));
    clock.wait_at(seconds);
    clock.start(seconds, at(since));
    return clock;
}

TEST(ViewerClock, WaitsForTheFrameOnTheScreen) {
    PlaybackClock clock;
    clock.set_paused(false, at(0));
    clock.wait_at(5);
    EXPECT_DOUBLE_EQ(clock.at(at(100)), 5);
    clock.start(5.04, at(101));
    EXPECT_NEAR(clock.at(at(101)), 5.04, 1e-9);
    EXPECT_NEAR(clock.at(at(103)), 7.04, 1e-9);
    clock.start(1, at(104));
    EXPECT_NEAR(clock.at(at(104)), 8.04, 1e-9) << "only a waiting clock is started";
}

TEST(ViewerClock, StopsWhilePausedAndResumes) {
    PlaybackClock clock = running_from(2, 10);
    clock.set_paused(true, at(11));
    EXPECT_NEAR(clock.at(at(50)), 3, 1e-9);
    clock.set_paused(false, at(60));
    EXPECT_NEAR(clock.at(at(61.5)), 4.5, 1e-9);
}

TEST(ViewerClock, SpeedAffectsLaterTimeOnly) {
    PlaybackClock clock = running_from(0, 0);
    clock.set_speed(0.5, at(4));
    EXPECT_NEAR(clock.at(at(4)), 4, 1e-9);
    EXPECT_NEAR(clock.at(at(8)), 6, 1e-9);
    clock.set_speed(100, at(8));
    EXPECT_NEAR(clock.at(at(9)), 106, 1e-9);
    EXPECT_NEAR(std::chrono::duration<double>(clock.when(206) - at(0)).count(), 10, 1e-6);
}

TEST(ViewerClock, FollowsTheAudioSmoothlyOrAtOnce) {
    PlaybackClock clock = running_from(0, 0);
    clock.follow(1.03, at(1));
    EXPECT_GT(clock.at(at(1)), 1.0);
    EXPECT_LT(clock.at(at(1)), 1.03);
    for (int i = 0; i < 40; ++i) clock.follow(1.03 + 0.05 * i, at(1 + 0.05 * i));
    EXPECT_NEAR(clock.at(at(3)), 3.03, 1e-3);
    clock.follow(10, at(4));
    EXPECT_NEAR(clock.at(at(4)), 10, 1e-9);
    clock.set_paused(true, at(4));
    clock.follow(20, at(5));
    EXPECT_NEAR(clock.at(at(5)), 10, 1e-9) << "only while it runs";
}

}  // namespace
}  // namespace weft::test
