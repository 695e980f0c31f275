// The player shows the frames of a linear decode, however it reaches them.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "app/viewer/play/frame_source.h"
#include "app/viewer/play/media_info.h"
#include "app/viewer/play/playlist.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/support/clips.h"
#include "tests/viewer/play/player_support.h"

namespace weft::test {
namespace {

class ViewerPlayer : public ClipTest {};

void expect_frame(const std::optional<PlayedFrame>& got, const std::vector<KnownFrame>& frames,
                  std::size_t number, const std::string& how) {
    ASSERT_TRUE(got) << how;
    ASSERT_LT(number, frames.size()) << how;
    EXPECT_EQ(got->frame->pts, frames[number].pts) << how << ", frame " << number;
    EXPECT_NEAR(got->seconds, frames[number].seconds, 1e-9) << how;
    EXPECT_EQ(frame_hash(*got->frame->av), frames[number].hash) << how << ", frame " << number;
    if (got->number_exact) {
        EXPECT_EQ(got->number, static_cast<std::int64_t>(number)) << how;
    }
}

TEST_F(ViewerPlayer, PlaysEveryFrameInOrderAndEnds) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    probe.player().set_paused(false);
    auto frame = probe.open(file);
    ASSERT_NO_FATAL_FAILURE(expect_frame(frame, frames, 0, "opened"));
    EXPECT_EQ(probe.player().clock(SteadyTime::max()), 0) << "stands until the frame is shown";
    for (std::size_t i = 1; i < frames.size(); ++i) {
        frame = probe.next();
        ASSERT_NO_FATAL_FAILURE(expect_frame(frame, frames, i, "playing"));
        EXPECT_EQ(frame->serial, probe.player().serial());
    }
    probe.show(*frame);
    EXPECT_TRUE(probe.wait_for([](const PlayerStatus& status) { return status.ended; }));
    EXPECT_TRUE(probe.player().status().paused);
    EXPECT_EQ(probe.player().status().dropped, 0);
    probe.player().set_paused(false);
    expect_frame(probe.next(), frames, 0, "played again after the end");
    EXPECT_FALSE(probe.player().status().ended);
}

TEST_F(ViewerPlayer, RemembersTheTimesOfCorruptFrames) {
    // A decoder without frame threads, which flag other frames in each run.
    Bytes bytes = read_bytes(make_clip(
        "whole.mkv", "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg2video -g 1 -q:v 2"));
    for (std::size_t k = bytes.size() * 2 / 5; k < bytes.size() / 2; k += 40) bytes[k] ^= 0x55;
    const auto file = write_bytes("corrupt.mkv", bytes);
    FrameSource source(file.string());
    std::optional<std::int64_t> first;
    std::vector<double> want;
    while (const std::optional<Frame> frame = source.next()) {
        if (!first) first = frame->pts;
        const AVFrame& av = *frame->av;
        if (av.decode_error_flags != 0 || (av.flags & AV_FRAME_FLAG_CORRUPT) != 0)
            want.push_back(static_cast<double>(frame->pts - *first) * av_q2d(source.time_base()));
    }
    ASSERT_FALSE(want.empty());
    PlayerProbe probe;
    probe.player().set_paused(false);
    std::optional<PlayedFrame> frame = probe.open(file);
    while (frame && probe.player().status().damage.empty()) {
        probe.show(*frame);
        frame = probe.next();
    }
    const std::vector<double> got = probe.player().status().damaged;
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-9);
    (void)probe.open(recipe("plain.mkv"));
    EXPECT_TRUE(probe.player().status().damaged.empty());
}

TEST_F(ViewerPlayer, SeeksShowTheLastFrameAtOrBefore) {
    const auto file = recipe("plain.mp4");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    expect_frame(probe.open(file, 1.0), frames, 30, "opened at 1 s");
    std::mt19937 random(7);
    for (int i = 0; i < 40; ++i) {
        const std::size_t number = random() % frames.size();
        const double seconds = frames[number].seconds + (i % 2 == 0 ? 0 : 0.02);
        probe.player().seek(seconds);
        const auto frame = probe.next();
        ASSERT_NO_FATAL_FAILURE(expect_frame(frame, frames, number, std::to_string(seconds)));
        EXPECT_NEAR(probe.player().clock(SteadyTime()), frames[number].seconds, 1e-9);
    }
    probe.player().seek(1000);
    expect_frame(probe.next(), frames, frames.size() - 1, "beyond the end");
    probe.player().seek(-3);
    expect_frame(probe.next(), frames, 0, "before the beginning");
}

TEST_F(ViewerPlayer, ShowsNumberedPicturesAtTheWantedRate) {
    make_clip("rated_1.png", "-f lavfi -i testsrc2=s=64x48:r=1:d=1 -frames:v 1");
    make_clip("rated_2.png", "-i @rated_1.png -vf negate");
    make_clip("rated_3.png", "-i @rated_1.png -vf hflip");
    const std::string pictures = clip_dir() / "rated_%d.png";
    for (const auto& [wanted, rate] :
         {std::pair<std::optional<double>, double>{std::nullopt, 25}, {5, 5}}) {
        PlayerProbe probe;
        probe.player().open(pictures, 0, wanted);
        ASSERT_TRUE(probe.next());
        const auto media = probe.player().status().media;
        ASSERT_TRUE(media);
        EXPECT_NEAR(media->frame_rate, rate, 1e-9);
        EXPECT_NEAR(media->duration, 3 / rate, 1e-9);
        EXPECT_EQ(media->wanted_rate, wanted);
        for (const double number : {1.0, 2.0}) {
            probe.player().step(1);
            const auto frame = probe.next();
            ASSERT_TRUE(frame);
            EXPECT_NEAR(frame->seconds, number / rate, 1e-9);
        }
        probe.player().seek(0);
        const auto first = probe.next();
        ASSERT_TRUE(first);
        EXPECT_EQ(first->seconds, 0);
    }
}

TEST_F(ViewerPlayer, RefusesAWantedRateForAFileWithTimes) {
    PlayerProbe probe;
    probe.player().open(recipe("plain.mp4"), 0, 5);
    EXPECT_TRUE(probe.wait_for([](const PlayerStatus& status) { return !status.opening; }));
    ASSERT_EQ(probe.errors().size(), 1U);
    EXPECT_NE(probe.errors()[0].find("-framerate is for numbered pictures"), std::string::npos);
    EXPECT_FALSE(probe.player().status().media);
}

TEST_F(ViewerPlayer, StepsBothWaysAndStopsAtTheEnds) {
    const auto file = recipe("faststart.mp4");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    probe.open(file, 1.5);
    for (std::size_t i = 44; i < 60; --i) {
        probe.player().step(-1);
        ASSERT_NO_FATAL_FAILURE(expect_frame(probe.next(), frames, i, "back"));
    }
    probe.player().step(-1);
    expect_frame(probe.next(), frames, 0, "back from the first");
    for (std::size_t i = 1; i < 60; ++i) {
        probe.player().step(1);
        ASSERT_NO_FATAL_FAILURE(expect_frame(probe.next(), frames, i, "on"));
    }
    probe.player().step(1);
    const auto last = probe.next();
    expect_frame(last, frames, 59, "on from the last");
    probe.player().set_paused(false);
    expect_frame(probe.next(), frames, 0, "played from the last: over again");
    probe.player().seek(1000);
    expect_frame(probe.next(), frames, 59, "the last");
    probe.player().step(-7);
    probe.player().step(-3);
    expect_frame(probe.next(), frames, 49, "two commands that waited");
}

TEST_F(ViewerPlayer, AStepWhilePlayingPausesNextToTheShownFrame) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    probe.player().set_paused(false);
    probe.player().set_speed(0.01);
    const auto first = probe.open(file, 1.0);
    ASSERT_TRUE(first);
    probe.show(*first);
    for (int i = 0; i < 5; ++i) probe.next();
    probe.player().step(1);
    expect_frame(probe.next(), frames, 31, "a step beside 1.0 s");
    EXPECT_TRUE(probe.player().status().paused);
}

// As after an edit of the stack: the frame on the screen is not the newest one that was handed out.
TEST_F(ViewerPlayer, RefilterHandsOutTheShownFrameAgain) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    PlayerProbe probe;
    probe.player().set_paused(false);
    const auto first = probe.open(file);
    ASSERT_TRUE(first);
    for (int i = 0; i < 3; ++i) probe.next();
    probe.player().set_paused(true);
    probe.player().refilter(*first);
    EXPECT_FALSE(probe.player().status().seeking);
    const auto again = probe.next();
    expect_frame(again, frames, 0, "refiltered");
    EXPECT_EQ(again->frame, first->frame);
    EXPECT_GT(again->serial, first->serial);
    EXPECT_EQ(probe.player().clock(SteadyTime()), 0);
    const std::uint64_t serial = probe.player().serial();
    probe.player().refilter(*first);
    EXPECT_EQ(probe.player().serial(), serial) << "the frame is stale";
    probe.player().step(1);
    expect_frame(probe.next(), frames, 1, "stepped from the refiltered frame");
}

// Across key frames, even if the cache is too small for them.
TEST_F(ViewerPlayer, ReturnsTheFramesBeforeAFrame) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    for (const std::size_t budget : {std::size_t{1}, std::size_t{512} << 20}) {
        PlayerOptions options = silent();
        options.cache_budget = budget;
        PlayerProbe probe(options);
        probe.open(file);
        for (const std::size_t number : {40U, 3U, 59U, 30U, 0U, 31U}) {
            probe.player().seek(frames[number].seconds);
            const auto frame = probe.next();
            ASSERT_NO_FATAL_FAILURE(expect_frame(frame, frames, number, "sought"));
            const EarlierFrames past = probe.player().before(*frame, 35, {});
            ASSERT_EQ(past.size(), std::min<std::size_t>(number, 35)) << number;
            for (std::size_t k = 0; k < past.size(); ++k)
                ASSERT_EQ(frame_hash(*past[k]->av), frames[number - past.size() + k].hash)
                    << k << " before " << number;
        }
    }
}

TEST_F(ViewerPlayer, AStaleFrameHasNoEarlierFrames) {
    const auto file = recipe("plain.mkv");
    PlayerProbe probe;
    const auto frame = probe.open(file, 1);
    ASSERT_TRUE(frame);
    probe.player().seek(0.5);
    EXPECT_TRUE(probe.player().before(*frame, 2, {}).empty());
    EXPECT_TRUE(probe.next());
}

TEST_F(ViewerPlayer, StillsAndShortFilesWork) {
    const char* const names[] = {"still.png", "still.jpg", "anim.gif"};
    for (const char* name : names) {
        const auto file = recipe(name);
        const auto frames = linear_frames(file);
        PlayerProbe probe;
        expect_frame(probe.open(file), frames, 0, name);
        probe.player().seek(500);
        expect_frame(probe.next(), frames, frames.size() - 1, name);
        probe.player().step(-1);
        expect_frame(probe.next(), frames, frames.size() > 1 ? frames.size() - 2 : 0, name);
    }
}

TEST_F(ViewerPlayer, ReportsFilesThatCannotBeOpened) {
    const auto file = recipe("plain.mkv");
    PlayerProbe probe;
    probe.player().open("/nonexistent.mkv");
    EXPECT_TRUE(probe.wait_for([](const PlayerStatus& status) { return !status.opening; }));
    ASSERT_TRUE(probe.wait_for([&](const PlayerStatus&) { return !probe.errors().empty(); }));
    EXPECT_NE(probe.errors().front().find("nonexistent"), std::string::npos);
    EXPECT_EQ(probe.player().status().media, nullptr);
    expect_frame(probe.open(file), linear_frames(file), 0, "after an error");
    probe.player().close();
    EXPECT_TRUE(probe.wait_for([](const PlayerStatus& status) { return !status.media; }));
}

TEST_F(ViewerPlayer, ReportsTheFilesProperties) {
    PlayerProbe probe;
    probe.open(recipe("chapters.mkv"));
    const auto media = probe.player().status().media;
    ASSERT_TRUE(media);
    EXPECT_EQ(media->video_codec, "h264");
    EXPECT_EQ(media->frame.width, 320);
    EXPECT_NEAR(media->duration, 2, 0.1);
    EXPECT_NEAR(media->frame_rate, 30, 0.1);
    EXPECT_TRUE(media->has_audio);
    ASSERT_EQ(media->chapters.size(), 2U);
    EXPECT_EQ(media->chapters[1].title, "two");
    EXPECT_NEAR(media->chapters[1].seconds, 1, 0.04);
}

TEST(ViewerChapters, StepLikePlayersDo) {
    const std::vector<Chapter> chapters = {{0, ""}, {10, ""}, {20, ""}};
    EXPECT_EQ(chapter_from(chapters, 0, 1), 10);
    EXPECT_EQ(chapter_from(chapters, 10, 1), 20);
    EXPECT_EQ(chapter_from(chapters, 20, 1), std::nullopt);
    EXPECT_EQ(chapter_from(chapters, 15, -1), 10);
    EXPECT_EQ(chapter_from(chapters, 10.5, -1), 0);
    EXPECT_EQ(chapter_from(chapters, 0.5, -1), 0);
}

TEST(ViewerTime, IsHoursMinutesSeconds) {
    EXPECT_EQ(time_text(-1), "0:00.000");
    EXPECT_EQ(time_text(83.4561), "1:23.456");
    EXPECT_EQ(time_text(3599.9996), "1:00:00.000");
}

TEST(ViewerPlaylist, StaysWithinItsFiles) {
    Playlist list;
    EXPECT_FALSE(list.move(1));
    list.set({"a", "b"});
    EXPECT_TRUE(list.move(1));
    EXPECT_EQ(list.current(), "b");
    EXPECT_FALSE(list.move(1));
    EXPECT_TRUE(list.move(-1));
    EXPECT_EQ(list.current(), "a");
}

}  // namespace
}  // namespace weft::test
