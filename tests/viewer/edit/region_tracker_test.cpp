#include "app/viewer/edit/region_tracker.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "app/viewer/edit/region_edit.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace weft::test {
namespace {

// A patch of 40×40 pixels over noise that stands still, 3 pixels further to the right in each of 50
// frames.
std::filesystem::path moving_patch() {
    return make_clip("region-tracker-patch.mkv",
                     "-f lavfi -i testsrc2=s=320x180:r=25:d=2 -f lavfi -i mandelbrot=s=40x40:r=25 "
                     "-filter_complex '[0]trim=end_frame=1,loop=49:1:0,setpts=N/25/TB,"
                     "noise=alls=20:allf=u[a];[1]trim=end_frame=1,loop=49:1:0,setpts=N/25/TB[b];"
                     "[a][b]overlay=x=20+3*n:y=70' -frames:v 50 -pix_fmt yuv420p -c:v ffv1");
}

class ViewerRegionTracker : public ClipTest {
 protected:
    // Waits until a change of the tracker fulfils that.
    bool eventually(const std::function<bool()>& is_so) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::minutes(5), is_so);
    }
    // The film at a frame.
    static FilmMoment at(int frame) {
        return {.film = moving_patch().string(),
                .width = 320,
                .height = 180,
                .end = 2,
                .frame_rate = 25,
                .frame = {frame, frame / 25.0, 1 / 25.0}};
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    RegionTracker tracker{[this] {
        const std::scoped_lock lock(mutex_);
        changed_.notify_all();
    }};
};

// The region is drawn around the patch in the 11th frame, and is undone as a whole.
TEST_F(ViewerRegionTracker, ARegionBecomesBoxesThatFollowItsObject) {
    const TemporaryFolder folder;
    StackEditor editor;
    editor.replace("gaussian=sigma=9:region=40x40+50+70|20x20+0+0");
    RegionEdit edit(folder.path());
    edit.show(at(10));
    std::optional<RegionTracker::Answer> answer;
    ASSERT_TRUE(edit.track(editor));
    tracker.start(edit.to_follow().front().jobs);
    ASSERT_TRUE(eventually([&] { return (answer = tracker.take()).has_value(); }));
    EXPECT_EQ(answer->problem, "");
    ASSERT_TRUE(edit.end_track(editor, answer->reports));
    EXPECT_EQ(edit.take_problem(), "");
    const Params& params = editor.steps()[0].step.params;
    EXPECT_FALSE(params.is_set("region"));
    ASSERT_TRUE(params.is_set("boxes"));
    const BoxTracks boxes = load_boxes(params.text("boxes"));
    for (int frame = 0; frame < 50; ++frame) {
        const std::vector<ObjectBox> here = boxes.at(at(frame).frame, Gap::interpolate);
        ASSERT_EQ(here.size(), 2U) << frame;
        EXPECT_NEAR(here[0].left + here[0].width / 2, 40 + 3 * frame, 2) << frame;
        EXPECT_NEAR(here[0].top + here[0].height / 2, 90, 2) << frame;
        EXPECT_EQ(here[1].left, 0) << frame;
        EXPECT_EQ(here[1].width, 20) << frame;
    }
    EXPECT_EQ(drawn_places(edit.tracks(editor)->objects[0]), std::vector<double>{0.4});
    editor.undo();
    EXPECT_EQ(editor.steps()[0].step.params.text("region"), "40x40+50+70|20x20+0+0");
    EXPECT_FALSE(editor.steps()[0].step.params.is_set("boxes"));
    editor.redo();
    EXPECT_TRUE(editor.steps()[0].step.params.is_set("boxes"));
}

TEST_F(ViewerRegionTracker, ARegionThatWasChangedMeanwhileRefusesTheResult) {
    const TemporaryFolder folder;
    StackEditor editor;
    editor.replace("gaussian=sigma=9:region=40x40+50+70");
    RegionEdit edit(folder.path());
    edit.show(at(10));
    ASSERT_TRUE(edit.track(editor));
    tracker.start(edit.to_follow().front().jobs);
    std::optional<RegionTracker::Answer> answer;
    ASSERT_TRUE(eventually([&] { return (answer = tracker.take()).has_value(); }));
    (void)editor.set(editor.steps()[0].id, "region", "30x40+50+70");
    EXPECT_FALSE(edit.end_track(editor, answer->reports));
    EXPECT_NE(edit.take_problem(), "");
    EXPECT_EQ(edit.take_problem(), "");
    EXPECT_FALSE(editor.steps()[0].step.params.is_set("boxes"));
}

TEST_F(ViewerRegionTracker, ReportsAFilmThatCannotBeRead) {
    TrackJob job;
    job.drawn = {{0, {0, 0, 20, 20}}};
    job.reader.path = "missing.mkv";
    tracker.start({job});
    std::optional<RegionTracker::Answer> answer;
    ASSERT_TRUE(eventually([&] { return (answer = tracker.take()).has_value(); }));
    EXPECT_TRUE(answer->reports.empty());
    EXPECT_NE(answer->problem.find("missing.mkv"), std::string::npos);
    EXPECT_FALSE(tracker.progress());
    EXPECT_FALSE(tracker.take());
}

TEST_F(ViewerRegionTracker, CancelLeavesNoAnswer) {
    TrackJob job;
    job.drawn = {{0, {20, 70, 40, 40}}};
    job.reader.path = moving_patch().string();
    tracker.start({job, job, job});
    EXPECT_TRUE(tracker.progress());
    tracker.cancel();
    EXPECT_FALSE(tracker.progress());
    job.reader.path = "missing.mkv";
    tracker.start({job});
    std::optional<RegionTracker::Answer> answer;
    ASSERT_TRUE(eventually([&] { return (answer = tracker.take()).has_value(); }));
    EXPECT_NE(answer->problem, "");  // that of the second start, and not the first one's boxes
    EXPECT_FALSE(tracker.take());
}

}  // namespace
}  // namespace weft::test
