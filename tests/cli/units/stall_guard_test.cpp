// Files that hang libav: when a reader counts as stalled, and the consequences.
#include "app/cli/stall_guard.h"

#include <future>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pipeline/pipeline.h"

namespace weft {
namespace {

using testing::HasSubstr;

constexpr std::chrono::milliseconds kTick(1);

bool stalls_within(Heartbeat& heart, int ticks) {
    for (int k = 0; k < ticks; ++k)
        if (heart.tick()) return true;
    return false;
}

TEST(PipelineHeartbeat, WorkWithoutABeatStallsAfterItsPatience) {
    Heartbeat heart;
    const Heartbeat::Scope work = heart.work();
    EXPECT_FALSE(stalls_within(heart, Heartbeat::kPatience - 1));
    EXPECT_TRUE(heart.tick());
}

TEST(PipelineHeartbeat, IdleAndWaitingReadersNeverStall) {
    Heartbeat idle;
    EXPECT_FALSE(stalls_within(idle, 10 * Heartbeat::kMostPatience));
    Heartbeat waiting;
    const Heartbeat::Scope work = waiting.work();
    const Heartbeat::Scope wait = waiting.wait();
    EXPECT_FALSE(stalls_within(waiting, 10 * Heartbeat::kMostPatience));
}

TEST(PipelineHeartbeat, EachBeatRestoresThePatience) {
    Heartbeat heart;
    const Heartbeat::Scope work = heart.work();
    for (int k = 0; k < 5; ++k) {
        EXPECT_FALSE(stalls_within(heart, Heartbeat::kPatience - 1));
        heart.beat();
    }
    EXPECT_FALSE(heart.tick());
    EXPECT_TRUE(stalls_within(heart, Heartbeat::kPatience));
}

TEST(PipelineHeartbeat, ManyBytesGiveMoreTime) {
    constexpr std::int64_t kMegabytes = 100;
    Heartbeat heart;
    const Heartbeat::Scope work = heart.work();
    heart.beat(kMegabytes * 1'000'000);
    EXPECT_FALSE(heart.tick());
    constexpr int kTicks = Heartbeat::kPatience + kMegabytes * Heartbeat::kTicksPerMegabyte;
    EXPECT_FALSE(stalls_within(heart, kTicks - 1));
    EXPECT_TRUE(heart.tick());
    heart.beat(std::int64_t{1} << 50);
    EXPECT_FALSE(heart.tick());
    EXPECT_TRUE(stalls_within(heart, Heartbeat::kMostPatience));
}

TEST(PipelineStallGuard, ReturnsTheResultOfTheWork) {
    StallGuard guard(kTick);
    bool done = false;
    guard.run("a.mp4", std::make_shared<Heartbeat>(), [&](const auto&) { done = true; }, {});
    EXPECT_TRUE(done);
    const auto fail = [](const std::stop_token&) { throw Cancelled(); };
    EXPECT_THROW(guard.run("a.mp4", std::make_shared<Heartbeat>(), fail, {}), Cancelled);
    EXPECT_FALSE(guard.has_abandoned());
}

TEST(PipelineStallGuard, PassesTheStopOn) {
    StallGuard guard(kTick);
    std::stop_source stop;
    bool stopped_before = true;
    bool stopped_after = false;
    guard.run(
        "a.mp4", std::make_shared<Heartbeat>(),
        [&](const std::stop_token& token) {
            stopped_before = token.stop_requested();
            stop.request_stop();
            stopped_after = token.stop_requested();
        },
        stop.get_token());
    EXPECT_FALSE(stopped_before);
    EXPECT_TRUE(stopped_after);
}

TEST(PipelineStallGuard, StopsStalledWorkThatReacts) {
    StallGuard guard(kTick);
    const auto heart = std::make_shared<Heartbeat>();
    const auto work = [heart](const std::stop_token&) {
        const Heartbeat::Scope at_work = heart->work();
        while (!heart->given_up()) std::this_thread::yield();
    };
    try {
        guard.run("a.mp4", heart, work, {});
        FAIL() << "a stalled reader ended well";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::failed);
        EXPECT_THAT(error.what(), HasSubstr("a.mp4: nothing was read or decoded for 60 seconds"));
    }
}

// The thread outlives the guard here, as it would outlive its file's turn in a batch.
TEST(PipelineStallGuard, AbandonsWorkThatDoesNotEnd) {
    StallGuard guard(kTick);
    const auto heart = std::make_shared<Heartbeat>();
    auto release = std::make_shared<std::latch>(1);
    auto over = std::make_shared<std::promise<void>>();
    std::future<void> ended = over->get_future();
    const auto work = [heart, release, over](const std::stop_token&) {
        {
            const Heartbeat::Scope at_work = heart->work();
            release->wait();
        }
        over->set_value();
    };
    EXPECT_THROW(guard.run("a.mp4", heart, work, {}), Error);
    EXPECT_TRUE(guard.has_abandoned());
    release->count_down();
    ended.wait();
}

}  // namespace
}  // namespace weft
