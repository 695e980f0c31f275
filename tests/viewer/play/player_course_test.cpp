// Longer runs of the player: loops, speeds, the cache of earlier frames, sound.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "app/viewer/play/frame_cache.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/support/clips.h"
#include "tests/viewer/play/player_support.h"

namespace weft::test {
namespace {

class ViewerPlayerCourse : public ClipTest {};

std::size_t bytes_of(const std::filesystem::path& file) {
    PlayerProbe probe;
    const auto frame = probe.open(file);
    return frame ? frame_bytes(*frame->frame->av) : 0;
}

TEST_F(ViewerPlayerCourse, LoopsExactlyTheFramesFromAToBeforeB) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    probe.player().set_speed(20);
    auto frame = probe.open(file, frames[20].seconds);
    ASSERT_TRUE(frame);
    probe.player().set_loop(frames[20].seconds, frames[26].seconds);
    probe.player().set_paused(false);
    std::uint64_t serial = frame->serial;
    probe.show(*frame);
    for (int round = 0; round < 3; ++round) {
        std::size_t number = 20;
        do {
            EXPECT_GE(frame->frame->pts, frames[20].pts);
            EXPECT_LT(frame->frame->pts, frames[26].pts);
            EXPECT_GE(frame->frame->pts, frames[number].pts) << "in order";
            number = static_cast<std::size_t>(frame->number);
            frame = probe.next();
            ASSERT_TRUE(frame);
        } while (frame->serial == serial);
        EXPECT_EQ(frame->frame->pts, frames[20].pts) << "round " << round;
        serial = frame->serial;
        probe.show(*frame);
    }
    probe.player().set_loop(std::nullopt, std::nullopt);
}

// The key for B is pressed at the frame that becomes B.
TEST_F(ViewerPlayerCourse, ALoopBeginsWhenItsEndIsSet) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    auto frame = probe.open(file, frames[26].seconds);
    ASSERT_TRUE(frame);
    probe.show(*frame);
    probe.player().set_paused(false);
    probe.player().set_loop(frames[20].seconds, frames[26].seconds);
    do {
        frame = probe.next();
        ASSERT_TRUE(frame);
    } while (frame->frame->pts >= frames[26].pts && frame->number < 40);
    EXPECT_EQ(frame->frame->pts, frames[20].pts);
}

// The times of one file mean nothing in another.
TEST_F(ViewerPlayerCourse, AnotherFileHasNoLoopYet) {
    const auto file = recipe("plain.mkv");
    PlayerProbe probe;
    ASSERT_TRUE(probe.open(file));
    probe.player().set_loop(0.2, 0.4);
    ASSERT_TRUE(probe.open(file));
    EXPECT_EQ(probe.player().status().loop_begin, 0.2);
    EXPECT_EQ(probe.player().status().loop_end, 0.4);
    ASSERT_TRUE(probe.open(recipe("plain.mp4")));
    EXPECT_EQ(probe.player().status().loop_begin, std::nullopt);
    EXPECT_EQ(probe.player().status().loop_end, std::nullopt);
}

// The first frame follows the last one until the loop is switched off.
TEST_F(ViewerPlayerCourse, AShortFileLoops) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    const double all = frames.back().seconds + 1;
    PlayerOptions options = silent();
    options.loop_below_seconds = all;
    PlayerProbe probe(std::move(options));
    probe.player().set_speed(20);
    auto frame = probe.open(file, frames[frames.size() - 4].seconds);
    ASSERT_TRUE(frame);
    EXPECT_TRUE(probe.player().status().loops_file);
    probe.player().set_paused(false);
    for (int round = 0; round < 2; ++round) {
        const std::uint64_t serial = frame->serial;
        std::int64_t last = frame->frame->pts;
        probe.show(*frame);
        while (frame && frame->serial == serial) {
            last = frame->frame->pts;
            frame = probe.next();
        }
        ASSERT_TRUE(frame);
        EXPECT_EQ(last, frames.back().pts) << "round " << round;
        EXPECT_EQ(frame->frame->pts, frames.front().pts) << "round " << round;
    }
    probe.player().set_file_loop(false);
    probe.show(*frame);
    while (!probe.player().status().ended && frame && frame->frame->pts < frames.back().pts)
        frame = probe.next();
    EXPECT_TRUE(probe.wait_for([](const PlayerStatus& status) { return status.ended; }));
}

// A decoder that had to go back at the jump would be late for the frames after it.
TEST_F(ViewerPlayerCourse, TheNextRoundIsDecodedBeforeTheJump) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerOptions options = silent();
    options.loop_below_seconds = frames.back().seconds + 1;
    options.cache_budget = 40 * bytes_of(file);  // ten frames ahead
    PlayerProbe probe(std::move(options));
    ASSERT_TRUE(probe.open(file, frames[frames.size() - 2].seconds));
    const auto begins_at = [&](double begin, double end) {
        return probe.wait_for([=](const PlayerStatus& status) {
            return std::ranges::any_of(status.cached, [=](const auto& stretch) {
                return stretch.first <= begin && stretch.second >= end;
            });
        });
    };
    EXPECT_TRUE(begins_at(0, frames[8].seconds)) << "the file repeats";
    probe.player().set_loop(frames[5].seconds, frames[40].seconds);
    probe.player().seek(frames[38].seconds);
    ASSERT_TRUE(probe.next());
    EXPECT_TRUE(begins_at(frames[5].seconds, frames[12].seconds)) << "the part repeats";
}

TEST_F(ViewerPlayerCourse, ALongFileDoesNotLoop) {
    PlayerOptions options = silent();
    options.loop_below_seconds = 0.5;
    PlayerProbe probe(std::move(options));
    ASSERT_TRUE(probe.open(recipe("plain.mkv")));
    EXPECT_GT(probe.player().status().media->duration, 0.5);
    EXPECT_FALSE(probe.player().status().loops_file);
}

TEST_F(ViewerPlayerCourse, APausedPlayerStaysAtBAndResumesAtA) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    auto frame = probe.open(file, frames[26].seconds);
    ASSERT_TRUE(frame);
    probe.show(*frame);
    probe.player().set_paused(true);
    probe.player().set_loop(frames[20].seconds, frames[26].seconds);
    EXPECT_EQ(frame->serial, probe.player().serial());
    probe.player().set_paused(false);
    frame = probe.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->frame->pts, frames[20].pts);
}

// Whoever seeks beyond B leaves the loop.
TEST_F(ViewerPlayerCourse, AfterBThePlayerGoesOn) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    auto frame = probe.open(file, frames[30].seconds);
    ASSERT_TRUE(frame);
    probe.player().set_paused(true);
    probe.player().set_loop(frames[20].seconds, frames[26].seconds);
    probe.show(*frame);
    probe.player().set_paused(false);
    frame = probe.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->frame->pts, frames[31].pts);
}

TEST_F(ViewerPlayerCourse, StepsBackBeyondTheCache) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerOptions options = silent();
    options.cache_budget = bytes_of(file) * 40;
    PlayerProbe probe(options);
    ASSERT_TRUE(probe.open(file, frames[55].seconds));
    probe.player().step(-1);
    auto frame = probe.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->frame->pts, frames[54].pts);
    EXPECT_TRUE(probe.wait_for([&](const PlayerStatus& status) {
        return !status.cached.empty() && status.cached.front().first <= frames[40].seconds &&
               status.cached.front().second >= frames[54].seconds;
    })) << "twenty frames behind, half the budget";
    for (std::size_t number = 53; number < 60; --number) {
        probe.player().step(-1);
        frame = probe.next();
        ASSERT_TRUE(frame);
        ASSERT_EQ(frame->frame->pts, frames[number].pts);
        ASSERT_EQ(frame_hash(*frame->frame->av), frames[number].hash);
        EXPECT_LE(probe.player().status().cache_bytes, options.cache_budget);
    }
}

TEST_F(ViewerPlayerCourse, TheCachesBudgetCanBeChanged) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    ASSERT_TRUE(probe.open(file, frames[30].seconds));
    const std::size_t budget = bytes_of(file) * 20;
    probe.player().set_cache_budget(budget);
    const PlayerStatus status = probe.player().status();
    EXPECT_EQ(status.cache_budget, budget);
    EXPECT_LE(status.cache_bytes, budget);
    for (const std::size_t number : {50U, 3U, 29U}) {
        probe.player().seek(frames[number].seconds);
        const auto frame = probe.next();
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame_hash(*frame->frame->av), frames[number].hash);
    }
}

// No file is opened, so the calculation needs no GPU.
TEST(ViewerPlayerBudget, FramesUseAQuarterOfAGpusMemory) {
    PlayerOptions options;
    options.gpu.ordinal = 0;
    options.gpu.memory_bytes = std::size_t{4} << 30;
    options.cache_budget = std::size_t{2} << 30;
    options.sound = false;
    Player player(options);
    EXPECT_EQ(player.status().cache_budget, std::size_t{1} << 30);
    player.set_cache_budget(std::size_t{512} << 20);
    EXPECT_EQ(player.status().cache_budget, std::size_t{512} << 20);
    player.set_cache_budget(std::size_t{8} << 30);
    EXPECT_EQ(player.status().cache_budget, std::size_t{1} << 30);
}

TEST_F(ViewerPlayerCourse, NumbersBecomeExactWhenRunsJoin) {
    const auto file = recipe("plain.mkv");
    PlayerProbe probe;
    auto frame = probe.open(file, 1.5);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->number, 45) << "from the rate";
    for (int i = 0; i < 60; ++i) {
        probe.player().step(-1);
        frame = probe.next();
    }
    EXPECT_TRUE(frame->number_exact);
    EXPECT_EQ(frame->number, 0);
    probe.player().seek(1.5);
    frame = probe.next();
    EXPECT_TRUE(frame->number_exact);
    EXPECT_EQ(frame->number, 45);
}

TEST_F(ViewerPlayerCourse, DropsAndCountsLateFrames) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    probe.player().set_paused(false);
    probe.player().set_speed(100);
    auto frame = probe.open(file);
    ASSERT_TRUE(frame);
    probe.show(*frame);
    std::int64_t taken = 1;
    std::int64_t last = 0;
    while (frame && frame->frame->pts != frames.back().pts) {
        frame = probe.next();
        ASSERT_TRUE(frame);
        if (frame->serial == probe.player().serial()) probe.show(*frame);
        EXPECT_GT(frame->frame->pts, last);
        last = frame->frame->pts;
        ++taken;
    }
    EXPECT_EQ(taken + probe.player().status().dropped, std::ssize(frames));
}

TEST_F(ViewerPlayerCourse, KeepsTheFileIfTheNextCannotBeOpened) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    ASSERT_TRUE(probe.open(file, 1.0));
    probe.player().open("/nonexistent.mkv");
    const auto frame = probe.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->frame->pts, frames[30].pts);
    EXPECT_EQ(probe.errors().size(), 1U);
}

// The window plays each file that it opens. Some of the requests arrive after the refusal of the
// one before, some while it is pending.
TEST_F(ViewerPlayerCourse, StaysPausedIfSeveralFilesCannotBeOpened) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    probe.player().set_paused(true);
    const auto shown = probe.open(file, 1.0);
    ASSERT_TRUE(shown);
    probe.show(*shown);
    for (int k = 0; k < 200; ++k) {
        probe.player().play("/nonexistent.mkv");
        if (k % 3 == 0) std::this_thread::yield();
    }
    ASSERT_TRUE(probe.wait_for([](const PlayerStatus& status) { return !status.opening; }));
    const auto frame = probe.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->frame->pts, frames[30].pts);
    EXPECT_TRUE(probe.player().status().paused);
}

TEST_F(ViewerPlayerCourse, SurvivesManyCommandsAtOnce) {
    const auto file = recipe("plain.mp4");
    const auto other = recipe("vp9.webm");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    for (int i = 0; i < 200; ++i) {
        if (i % 40 == 0) probe.player().open((i % 80 == 0 ? file : other).string());
        if (i % 7 == 0) probe.player().set_paused(i % 14 == 0);
        if (i % 11 == 0) probe.player().step(i % 22 == 0 ? 3 : -5);
        if (i % 90 == 0) probe.player().close();
        probe.player().seek(i * 0.01);
    }
    probe.player().open(file.string(), 0.5);
    std::optional<PlayedFrame> frame;
    do frame = probe.next();
    while (frame && frame->serial != probe.player().serial());
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame_hash(*frame->frame->av), frames[15].hash);
}

// Counts writes and stays silent.
class CountingOutput : public AudioOutput {
 public:
    explicit CountingOutput(std::atomic<int>& writes) : writes_(writes) {}
    void start() override {}
    void write(std::span<const float>) override {
        ++writes_;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    void abort() override {}
    double delay() override { return 0.02; }
    SteadyTime now() const override { return std::chrono::steady_clock::now(); }

 private:
    std::atomic<int>& writes_;
};

TEST_F(ViewerPlayerCourse, AudioPlaysAtSpeedOneOnly) {
    std::atomic<int> writes = 0;
    PlayerOptions options;
    options.open_audio = [&] { return std::make_unique<CountingOutput>(writes); };
    PlayerProbe probe(std::move(options));
    const auto frame = probe.open(recipe("plain.mkv"));
    ASSERT_TRUE(frame);
    EXPECT_EQ(probe.player().status().sound, "");
    probe.show(*frame);
    probe.player().set_speed(0.5);
    probe.player().set_paused(false);
    for (int i = 0; i < 5; ++i) probe.next();
    EXPECT_EQ(writes, 0) << "silent at other speeds and while paused";
    probe.player().set_speed(1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (writes == 0 && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_GT(writes, 0);
}

}  // namespace
}  // namespace weft::test
