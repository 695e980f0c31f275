#include "app/viewer/play/motion_search.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "tests/support/clips.h"

namespace weft::test {
namespace {

// A patch of 40×40 pixels over a still picture moves in the second second of four. The sound begins
// half a second before the picture, so that the first frame is at 0.5 s of the file.
std::filesystem::path late_patch() {
    return make_clip(
        "motion-search-late-patch.mkv",
        "-itsoffset 0.5 -f lavfi -i testsrc2=s=320x180:r=25:d=4 -f lavfi -i "
        "mandelbrot=s=40x40:r=25 "
        "-f lavfi -i sine=d=4.5 "
        "-filter_complex '[0]trim=end_frame=1,loop=99:1:0,setpts=(N/25+0.5)/TB[a];"
        "[1]trim=end_frame=1,loop=99:1:0,setpts=(N/25+0.5)/TB[b];"
        "[a][b]overlay=x=20+100*clip(t-1.5\\,0\\,1):y=70:eval=frame[v]' -map '[v]' -map 2 "
        "-frames:v 100 -pix_fmt yuv420p -c:v ffv1 -c:a flac");
}

class ViewerMotionSearch : public ClipTest {
 protected:
    std::shared_ptr<const FoundMotion> found_at_end() {
        std::unique_lock lock(mutex_);
        std::shared_ptr<const FoundMotion> found;
        (void)changed_.wait_for(lock, std::chrono::minutes(5), [&] {
            found = search.found();
            return found && found->complete;
        });
        return found;
    }
    static FilmMotionOptions film(const std::string& path) {
        FilmMotionOptions options;
        options.reader.path = path;
        return options;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    MotionSearch search{[this] {
        const std::scoped_lock lock(mutex_);
        changed_.notify_all();
    }};
};

TEST_F(ViewerMotionSearch, TimesCountFromTheFirstFrame) {
    EXPECT_EQ(search.found(), nullptr);
    search.start(film(late_patch().string()));
    ASSERT_NE(search.found(), nullptr);
    const auto found = found_at_end();
    ASSERT_TRUE(found && found->complete);
    EXPECT_EQ(found->problem, "");
    ASSERT_EQ(found->events.size(), 1U);
    // The first frame with another place of the patch is that at 1.04 s, the last one that at 2 s.
    EXPECT_NEAR(found->events[0].begin, 1.04, 0.041);
    EXPECT_NEAR(found->events[0].end, 2, 0.041);
    EXPECT_EQ(found->curve.size(), 40U);
    EXPECT_EQ(found->most_between(0, 0.9), 0);
    EXPECT_FLOAT_EQ(found->most_between(0, 4), static_cast<float>(found->events[0].area));
    EXPECT_GT(found->most_between(1.5, 1.6), 0);
    EXPECT_EQ(found->most_between(2.6, 4), 0);
    search.cancel();
    EXPECT_EQ(search.found(), nullptr);
}

TEST_F(ViewerMotionSearch, AFilmThatCannotBeReadIsAProblem) {
    search.start(film("missing-film.mkv"));
    const auto found = found_at_end();
    ASSERT_TRUE(found && found->complete);
    EXPECT_NE(found->problem.find("missing-film.mkv"), std::string::npos);
    EXPECT_TRUE(found->events.empty());
}

TEST(ViewerFoundMotion, AnEventIsFoundByItsTime) {
    const FoundMotion found{.events = {{.begin = 1, .end = 2}, {.begin = 5, .end = 5}}};
    for (const auto& [seconds, begin] : {std::pair(1.0, 1.0), {1.5, 1}, {2.1, 1}, {4.9, 5}}) {
        const MotionEvent* const event = found.event_at(seconds, 0.2);
        ASSERT_NE(event, nullptr) << seconds;
        EXPECT_EQ(event->begin, begin) << seconds;
    }
    EXPECT_EQ(found.event_at(0.7, 0.2), nullptr);
    EXPECT_EQ(found.event_at(3, 0.2), nullptr);
    EXPECT_EQ(FoundMotion().event_at(0, 1), nullptr);
}

// The shown frame may be the one in which an event begins.
TEST(ViewerFoundMotion, TheNextEventBeginsAfterTheShownFrame) {
    const FoundMotion found{.events = {{.begin = 1, .end = 2}, {.begin = 5, .end = 6}}};
    EXPECT_EQ(found.event_from(0, true), 1);
    EXPECT_EQ(found.event_from(1, true), 5);
    EXPECT_EQ(found.event_from(1.5, true), 5);
    EXPECT_EQ(found.event_from(5, true), std::nullopt);
    EXPECT_EQ(found.event_from(9, false), 5);
    EXPECT_EQ(found.event_from(5, false), 1);
    EXPECT_EQ(found.event_from(1, false), std::nullopt);
}

TEST(ViewerFoundMotion, TheCurveOutsideOfTheFilmIsStill) {
    const FoundMotion found{.curve = {0.1F, 0.5F, 0.2F}};
    EXPECT_EQ(found.most_between(0, 0.05), 0.1F);
    EXPECT_EQ(found.most_between(0.05, 0.15), 0.5F);
    EXPECT_EQ(found.most_between(0.25, 9), 0.2F);
    EXPECT_EQ(found.most_between(1, 2), 0);
    EXPECT_EQ(FoundMotion().most_between(0, 1), 0);
}

}  // namespace
}  // namespace weft::test
