#include "app/viewer/edit/object_tracks.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

using testing::ElementsAre;

// Ten seconds at 10 frames per second, at this frame.
FilmMoment at(double seconds) {
    return {.film = "drive.mp4",
            .width = 200,
            .height = 100,
            .begin = 0,
            .end = 10,
            .frame_rate = 10,
            .frame = {std::llround(seconds * 10), seconds, 0.1}};
}

PlacedBox box(double place, double left, double confidence) {
    return {
        place,
        {.id = 1, .left = left, .top = 20, .width = 30, .height = 40, .confidence = confidence}};
}

// The tracker's boxes in each frame of the first second, which move by ten pixels per frame.
ObjectTrack followed_object() {
    ObjectTrack object;
    for (int k = 0; k < 10; ++k) object.boxes.push_back(box(k / 10.0, 10.0 * k, 0.9));
    object.boxes[3].box.confidence = 1;
    return object;
}

ObjectTrack still_object() {
    ObjectTracks tracks;
    tracks.add_still({10, 20, 40, 60}, at(0));
    return tracks.objects[0];
}

double left_at(const ObjectTrack& object, double seconds) {
    const auto here = box_in(object, BoxClock::seconds, at(seconds));
    return here ? here->left : -1;
}

void draw(ObjectTrack& object, double seconds, int left) {
    draw_box(object, BoxClock::seconds, at(seconds), {left, 20, 30, 40});
}

TEST(ViewerObjectTracks, AStillObjectCoversTheWholeFilmAndWasDrawnInNoFrame) {
    const ObjectTrack object = still_object();
    for (const double seconds : {0.0, 5.0, 9.9}) EXPECT_EQ(left_at(object, seconds), 10);
    EXPECT_THAT(drawn_places(object), ElementsAre());
    EXPECT_THAT(uncertain_places(object), ElementsAre());
}

// Between the beginning and the drawn box it moves, and after that it stays.
TEST(ViewerObjectTracks, AStillObjectStaysInTheBoxThatIsDrawn) {
    ObjectTrack object = still_object();
    draw(object, 4, 50);
    EXPECT_EQ(left_at(object, 0), 10);
    EXPECT_NEAR(left_at(object, 2), 30, 1e-9);
    for (const double seconds : {4.0, 6.0, 9.9}) EXPECT_EQ(left_at(object, seconds), 50);
    EXPECT_THAT(drawn_places(object), ElementsAre(4));
    draw(object, 8, 90);
    EXPECT_NEAR(left_at(object, 6), 70, 1e-9);
    EXPECT_EQ(left_at(object, 9.9), 90);
}

TEST(ViewerObjectTracks, ADrawnBoxReplacesThatOfItsFrameAlone) {
    ObjectTrack object = followed_object();
    draw(object, 0.5, 99);
    EXPECT_EQ(object.boxes.size(), 10U);
    EXPECT_EQ(left_at(object, 0.4), 40);
    EXPECT_EQ(left_at(object, 0.5), 99);
    EXPECT_EQ(left_at(object, 0.6), 60);
    EXPECT_THAT(drawn_places(object), ElementsAre(0.3, 0.5));
}

// An object may rest while it is followed: its boxes are equal then.
TEST(ViewerObjectTracks, ADrawnBoxLeavesARestingObjectAlone) {
    ObjectTrack object = followed_object();
    for (PlacedBox& placed : object.boxes) placed.box.left = 10;
    draw(object, 0.5, 99);
    EXPECT_EQ(left_at(object, 0.6), 10);
}

TEST(ViewerObjectTracks, AHeldBoxStaysUntilTheNextThatWasDrawn) {
    ObjectTrack object = followed_object();
    draw(object, 0.8, 99);
    ASSERT_TRUE(hold_box(object, BoxClock::seconds, at(0.5)));
    for (const double seconds : {0.5, 0.6, 0.7}) EXPECT_EQ(left_at(object, seconds), 50);
    EXPECT_EQ(left_at(object, 0.4), 40);
    EXPECT_EQ(left_at(object, 0.8), 99);
    EXPECT_EQ(left_at(object, 0.9), 90);
    ASSERT_TRUE(hold_box(object, BoxClock::seconds, at(0.9)));
    EXPECT_EQ(left_at(object, 9.9), 90);
}

TEST(ViewerObjectTracks, ADeletedRestIsAbsentAndCannotBeHeld) {
    ObjectTrack object = followed_object();
    delete_boxes(object, BoxClock::seconds, at(0.5));
    EXPECT_EQ(left_at(object, 0.4), 40);
    for (const double seconds : {0.5, 0.7, 9.0}) EXPECT_EQ(left_at(object, seconds), -1);
    const ObjectTrack before = object;
    EXPECT_FALSE(hold_box(object, BoxClock::seconds, at(0.7)));
    EXPECT_EQ(object, before);
    draw(object, 2, 70);
    EXPECT_EQ(left_at(object, 1.9), -1);
    EXPECT_EQ(left_at(object, 2), 70);
}

// After a cut or a deleted rest, so that the object is not naked until it is tracked.
TEST(ViewerObjectTracks, AnAbsentObjectThatIsDrawnStaysToTheFilmsEnd) {
    ObjectTrack object = followed_object();
    delete_boxes(object, BoxClock::seconds, at(0.5));
    draw(object, 2, 70);
    for (const double seconds : {2.1, 9.9}) EXPECT_EQ(left_at(object, seconds), 70) << seconds;
    EXPECT_THAT(drawn_places(object), ElementsAre(0.3, 0.5, 2));
    draw(object, 4, 90);
    EXPECT_NEAR(left_at(object, 3), 80, 1e-9);
    EXPECT_EQ(left_at(object, 9.9), 90);
}

TEST(ViewerObjectTracks, ArePresentFromABoxToTheFrameAfterTheLast) {
    ObjectTrack object = followed_object();
    delete_boxes(object, BoxClock::seconds, at(0.5));
    EXPECT_THAT(present_places(object, 0.1), ElementsAre(std::pair(0.0, 0.5)));
    object.boxes.push_back(box(2, 70, 1));
    object.boxes.push_back(box(3, 70, 1));
    EXPECT_THAT(present_places(object, 0.1), ElementsAre(std::pair(0.0, 0.5), std::pair(2.0, 3.1)));
    EXPECT_THAT(present_places({}, 0.1), ElementsAre());
}

TEST(ViewerObjectTracks, TheGapDecidesWhatHoldsBetweenBoxes) {
    const ObjectTrack object{.boxes = {box(1, 10, 1), box(3, 50, 1)}};
    const auto left = [&](double seconds, Gap gap) {
        const auto here = box_in(object, BoxClock::seconds, at(seconds), gap);
        return here ? here->left : -1;
    };
    EXPECT_EQ(left(2, Gap::interpolate), 30);
    EXPECT_EQ(left(2, Gap::hold), 10);
    EXPECT_EQ(left(2, Gap::off), -1);
    EXPECT_EQ(left(9, Gap::interpolate), -1);
    EXPECT_EQ(left(9, Gap::hold), 50);
}

TEST(ViewerObjectTracks, SurviveTheirFile) {
    ObjectTracks tracks;
    tracks.objects = {followed_object(), still_object()};
    tracks.objects[1].id = 7;
    for (PlacedBox& placed : tracks.objects[1].boxes) placed.box.id = 7;
    delete_boxes(tracks.objects[0], BoxClock::seconds, at(0.7));
    const ObjectTracks again(parse_boxes(print_boxes(tracks.boxes()), "test"));
    EXPECT_EQ(again.clock, tracks.clock);
    EXPECT_EQ(again.objects, tracks.objects);
}

// ---- the tracker ----

using Times = std::vector<std::int64_t>;

Times times_of(const TrackJob& job) {
    Times times;
    for (const DrawnBox& drawn : job.drawn) times.push_back(drawn.time_us);
    return times;
}

TEST(ViewerTrackJobs, BeginAtEveryDrawnBoxElseAtTheShownFrame) {
    ObjectTrack object = still_object();
    std::vector<TrackJob> jobs = jobs_of(object, BoxClock::seconds, at(3.2));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(times_of(jobs[0]), Times{3'200'000});
    EXPECT_EQ(jobs[0].drawn[0].box, (TrackBox{10, 20, 30, 40}));
    EXPECT_EQ(jobs[0].reader.path, "drive.mp4");
    EXPECT_EQ(jobs[0].from_us, std::nullopt);
    EXPECT_EQ(jobs[0].to_us, std::nullopt);
    draw(object, 5, 50);
    draw(object, 7, 70);
    jobs = jobs_of(object, BoxClock::seconds, at(3.2));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(times_of(jobs[0]), (Times{5'000'000, 7'000'000}));
}

// Held from 4 to 6.9 seconds and absent from 8 to 9: the first part ends with the frame at 4, the
// second is from 7 to before 8, the last begins at 9.
TEST(ViewerTrackJobs, LeaveOutWhatIsHeldOrAbsent) {
    ObjectTrack object = still_object();
    draw(object, 2, 20);
    draw(object, 7, 70);
    ASSERT_TRUE(hold_box(object, BoxClock::seconds, at(4)));
    delete_boxes(object, BoxClock::seconds, at(8));
    draw(object, 9, 90);
    const std::vector<TrackJob> jobs = jobs_of(object, BoxClock::seconds, at(0));
    ASSERT_EQ(jobs.size(), 3U);
    EXPECT_EQ(times_of(jobs[0]), (Times{2'000'000, 4'000'000}));
    EXPECT_EQ(jobs[0].from_us, std::nullopt);
    EXPECT_LT(jobs[0].to_us, 4'100'000);
    EXPECT_GT(jobs[0].to_us, 4'000'000);
    EXPECT_EQ(times_of(jobs[1]), (Times{6'900'000, 7'000'000}));
    EXPECT_EQ(jobs[1].from_us, 6'900'000);
    EXPECT_LT(jobs[1].to_us, 8'000'000);
    EXPECT_GT(jobs[1].to_us, 7'900'000);
    EXPECT_EQ(times_of(jobs[2]), (Times{9'000'000}));
    EXPECT_EQ(jobs[2].from_us, 9'000'000);
    EXPECT_EQ(jobs[2].to_us, std::nullopt);
}

TEST(ViewerTrackJobs, AHoldToTheEndIsNotFollowed) {
    ObjectTrack object = followed_object();
    ASSERT_TRUE(hold_box(object, BoxClock::seconds, at(0.9)));
    const std::vector<TrackJob> jobs = jobs_of(object, BoxClock::seconds, at(5));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(times_of(jobs[0]), (Times{300'000, 900'000}));
}

TEST(ViewerTrackJobs, NothingToFollowIsAProblem) {
    ObjectTrack object = still_object();
    delete_boxes(object, BoxClock::seconds, at(5));
    EXPECT_THROW(jobs_of(object, BoxClock::seconds, at(6)), Error);
    draw_box(object, BoxClock::seconds, at(2), {10, 10, 7, 40});
    EXPECT_THROW(jobs_of(object, BoxClock::seconds, at(2)), Error);
}

// Frames 0.1 s apart from `first` on, whose boxes are wider by 1 pixel on each side than those
// drawn.
TrackReport report(int first, int last, double confidence) {
    TrackReport report;
    for (int k = first; k <= last; ++k)
        report.frames.push_back({.number = k + 1,
                                 .seconds = k / 10.0,
                                 .box = {10.0 * k - 1, 19, 32, 42},
                                 .confidence = confidence});
    return report;
}

TEST(ViewerTrackJobs, ResultsLeaveDrawnBoxesAsTheyAre) {
    ObjectTrack object = still_object();
    draw(object, 0.5, 50);
    TrackReport found = report(0, 9, 1);
    found.frames[7].confidence = found.frames[8].confidence = 0.3;
    const ObjectTrack now = followed(object, BoxClock::seconds, at(0), {{found}});
    ASSERT_EQ(now.boxes.size(), 10U);
    EXPECT_THAT(drawn_places(now), ElementsAre(0.5));
    EXPECT_EQ(left_at(now, 0.5), 50);
    EXPECT_EQ(left_at(now, 0.6), 59);
    EXPECT_EQ(left_at(now, 5), -1);  // the track ended with the film
    EXPECT_THAT(uncertain_places(now), ElementsAre(std::pair(0.7, 0.8)));
    EXPECT_EQ(followed(now, BoxClock::seconds, at(3), {{found}}), now);
}

TEST(ViewerTrackJobs, ACutIsNotCrossed) {
    ObjectTrack object = still_object();
    draw(object, 0.2, 20);
    draw(object, 3.0, 60);
    TrackReport found = report(0, 4, 0.9);
    for (const TrackedFrame& frame : report(28, 32, 0.9).frames) found.frames.push_back(frame);
    found.cuts = {found.frames[4]};
    const ObjectTrack now = followed(object, BoxClock::seconds, at(0), {{found}});
    EXPECT_EQ(left_at(now, 0.4), 39);
    for (const double seconds : {0.5, 1.0, 2.6}) EXPECT_EQ(left_at(now, seconds), -1) << seconds;
    EXPECT_EQ(left_at(now, 2.8), 279);
    EXPECT_EQ(left_at(now, 3), 60);
}

TEST(ViewerTrackJobs, WhereItStartedAloneWasDrawn) {
    const ObjectTrack now =
        followed(still_object(), BoxClock::seconds, at(0.3), {{report(0, 9, 0.9)}});
    EXPECT_THAT(drawn_places(now), ElementsAre(0.3));
    EXPECT_EQ(left_at(now, 0.3), 10);
    EXPECT_EQ(now.boxes.size(), 10U);
}

TEST(ViewerTrackJobs, FilesThatCountFramesKeepDoingSo) {
    ObjectTrack object{.boxes = {box(2, 20, 1), box(3, 33, 0.9)}};
    const std::vector<TrackJob> jobs = jobs_of(object, BoxClock::frames, at(0));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(times_of(jobs[0]), Times{250'000});  // the middle of the frame
    const ObjectTrack now = followed(object, BoxClock::frames, at(0), {{report(0, 4, 0.9)}});
    ASSERT_EQ(now.boxes.size(), 5U);
    EXPECT_EQ(now.boxes[2], box(2, 20, 1));
    EXPECT_EQ(now.boxes[3].place, 3);
    EXPECT_EQ(now.boxes[3].box.left, 29);
}

// ---- review ----

TEST(ViewerReview, GoesToTheNextUncertainBoxOfAnyObject) {
    ObjectTracks tracks;
    tracks.objects = {followed_object(), followed_object()};
    for (const int k : {2, 5, 6}) tracks.objects[0].boxes[k].box.confidence = 0.2;
    tracks.objects[1].boxes[4].box.confidence = 0.4;
    std::vector<std::pair<std::size_t, double>> seen;
    double here = 0;
    while (const auto next = next_uncertain(tracks, at(here), true)) {
        seen.emplace_back(next->object, next->place);
        here = next->place;
    }
    EXPECT_THAT(seen, ElementsAre(std::pair(0, 0.2), std::pair(1, 0.4), std::pair(0, 0.5),
                                  std::pair(0, 0.6)));
    const auto before = next_uncertain(tracks, at(0.5), false);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->object, 1U);
    EXPECT_EQ(before->place, 0.4);
    EXPECT_FALSE(next_uncertain(tracks, at(0.2), false));
}

// The frame after the cut, since the frame before it was followed.
TEST(ViewerReview, StopsAfterACut) {
    TrackReport found = report(0, 4, 0.9);
    found.cuts = {found.frames[4]};
    ObjectTracks tracks;
    tracks.objects = {followed(still_object(), BoxClock::seconds, at(0), {{found}})};
    for (const double before : {0.0, 0.3, 0.4}) {
        const auto next = next_uncertain(tracks, at(before), true);
        ASSERT_TRUE(next) << before;
        EXPECT_NEAR(next->place, 0.5, 1e-9);
    }
    EXPECT_FALSE(next_uncertain(tracks, at(0.5), true));
    EXPECT_NEAR(next_uncertain(tracks, at(3), false).value_or(UncertainBox{}).place, 0.5, 1e-9);
    // One that was deleted by hand is not asked about.
    ObjectTrack deleted = followed_object();
    delete_boxes(deleted, BoxClock::seconds, at(0.5));
    tracks.objects = {deleted};
    EXPECT_FALSE(next_uncertain(tracks, at(0), true));
}

}  // namespace
}  // namespace weft
