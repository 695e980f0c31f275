#include "app/viewer/edit/region_edit.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

constexpr double kReach = 6;

// 200×100 pixels, drawn at (50, 20) with two units for each.
RegionCanvas canvas() {
    return {{.width = 200, .height = 100}, {50, 20, 400, 200}};
}

class ViewerRegionEdit : public testing::Test {
 protected:
    StepId add(const std::string& region) {
        editor.replace("box=radius=3" + (region.empty() ? "" : ":region=" + region));
        return editor.steps().front().id;
    }
    std::string text() const { return editor.steps().front().step.params.text("region"); }
    void drag(Point from, Point to) {
        ASSERT_TRUE(edit.press(editor, canvas(), from, kReach));
        edit.drag(editor, canvas(), {(from.x + to.x) / 2, (from.y + to.y) / 2});
        edit.drag(editor, canvas(), to);
        edit.release(editor);
    }

    StackEditor editor;
    RegionEdit edit;
};

// A region is written in pixels of the turned picture, whatever the size of its pixels on the
// screen.
TEST(ViewerRegionCanvas, FollowsRotationAspectAndZoom) {
    struct Case {
        DisplayShape shape;
        Rect placed;
        RegionRect region;
        Rect on_screen;
    };
    const DisplayShape plain{.width = 200, .height = 100};
    const DisplayShape wide{.width = 200, .height = 100, .sample_aspect = 2};
    const DisplayShape turned{.width = 200, .height = 100, .rotation_degrees = 90};
    const DisplayShape wide_turned{
        .width = 200, .height = 100, .sample_aspect = 2, .rotation_degrees = 270};
    for (const auto& [shape, placed, region, on_screen] :
         {Case{plain, {50, 20, 400, 200}, {10, 20, 40, 60}, {70, 60, 60, 80}},
          Case{plain, {-100, -50, 50, 25}, {0, 0, 200, 100}, {-100, -50, 50, 25}},
          Case{wide, {0, 0, 400, 100}, {10, 20, 40, 60}, {20, 20, 60, 40}},
          Case{turned, {0, 0, 100, 200}, {10, 20, 40, 60}, {10, 20, 30, 40}},
          Case{wide_turned, {0, 0, 100, 400}, {10, 20, 40, 60}, {10, 40, 30, 80}}}) {
        const RegionCanvas canvas(shape, placed);
        const Rect got = canvas.to_screen(region);
        EXPECT_NEAR(got.x, on_screen.x, 1e-9);
        EXPECT_NEAR(got.y, on_screen.y, 1e-9);
        EXPECT_NEAR(got.width, on_screen.width, 1e-9);
        EXPECT_NEAR(got.height, on_screen.height, 1e-9);
        const Point corner = canvas.to_pixels({on_screen.x, on_screen.y});
        EXPECT_NEAR(corner.x, region.left, 1e-9);
        EXPECT_NEAR(corner.y, region.top, 1e-9);
    }
}

TEST(ViewerRegionCanvas, ADragGivesWholePixelsInThePicture) {
    struct Case {
        RegionRect from;
        RegionGrip grip;
        Point moved;
        PixelRect result;
    };
    const RegionRect box{10, 20, 40, 60};
    const RegionRect outside{-20, 20, 40, 60};
    for (const auto& [from, grip, moved, result] :
         {Case{box, {}, {5.4, -3.6}, {15, 16, 30, 40}},
          Case{box, {}, {-1000, 1000}, {-29, 99, 30, 40}},
          Case{{10.2, 20, 40.4, 60}, {}, {1, 0}, {11, 20, 30, 40}},
          Case{box, {1, 0}, {7.6, 50}, {10, 20, 38, 40}},
          Case{box, {1, 1}, {1000, 1000}, {10, 20, 190, 80}},
          Case{box, {-1, -1}, {-1000, -1000}, {0, 0, 40, 60}},
          Case{box, {-1, 0}, {1000, 0}, {39, 20, 1, 40}},
          Case{box, {0, 1}, {0, -1000}, {10, 20, 30, 1}},
          Case{outside, {1, 0}, {10, 0}, {-20, 20, 70, 40}},
          Case{outside, {-1, 0}, {-5, 0}, {0, 20, 40, 40}}})
        EXPECT_EQ(dragged_region(from, grip, moved, canvas()), result)
            << result.left << "," << result.top << " " << result.width << "×" << result.height;
}

TEST(ViewerRegionCanvas, ADrawnRegionHasThePixelsThatItTouches) {
    EXPECT_EQ(drawn_region({10.5, 20}, {30.2, 40}, canvas()), (PixelRect{10, 20, 21, 20}));
    EXPECT_EQ(drawn_region({30.2, 40}, {10.5, 20}, canvas()), (PixelRect{10, 20, 21, 20}));
    EXPECT_EQ(drawn_region({-10, 90}, {900, 900}, canvas()), (PixelRect{0, 90, 200, 10}));
    EXPECT_EQ(drawn_region({500, 50}, {900, 50}, canvas()), (PixelRect{199, 50, 1, 1}));
}

TEST(ViewerRegionText, OtherRegionsStayAsTheyWereTyped) {
    const PixelRect region{-3, 4, 50, 60};
    EXPECT_EQ(with_region("", 0, region), "50x60-3+4");
    EXPECT_EQ(with_region("1%x2%+3%+4%", 1, region), "1%x2%+3%+4%|50x60-3+4");
    EXPECT_EQ(with_region("1%x2%+3%+4%|7x7+7+7|1x1+0+0", 1, region),
              "1%x2%+3%+4%|50x60-3+4|1x1+0+0");
    EXPECT_EQ(without_region("1x1+0+0|2x2+0+0|3x3+0+0", 1), "1x1+0+0|3x3+0+0");
    EXPECT_EQ(without_region("1x1+0+0", 0), "");
}

// A rectangle's sides are at the distance, and so are its round corners; an ellipse's outline is at
// the distance along the rays from its centre.
TEST(ViewerEffectOutline, IsWhereGrowAndFeatherEnd) {
    const RegionRect region{100, 200, 160, 240};  // its centre is (130, 220)
    const auto outline = [&](const std::string& stack) {
        return effect_outline(parse_stack(stack).front().params, region);
    };
    const auto farthest = [](const std::vector<Point>& points, double across, double down) {
        double most = 0;
        for (const Point& p : points)
            most = std::max(most, (p.x - 130) * across + (p.y - 220) * down);
        return most;
    };
    EXPECT_TRUE(outline("gaussian=region=60x40+100+200").empty());
    EXPECT_TRUE(outline("gaussian=region=60x40+100+200:shape=ellipse").empty());
    const std::vector<Point> grown = outline("gaussian=region=60x40+100+200:grow=10%");
    ASSERT_EQ(grown.size(), 4U);
    EXPECT_EQ(farthest(grown, 1, 0), 36);
    EXPECT_EQ(farthest(grown, 0, -1), 24);
    const std::vector<Point> faded = outline("gaussian=region=60x40+100+200:grow=2:feather=5");
    EXPECT_NEAR(farthest(faded, 1, 0), 37, 1e-9);
    EXPECT_NEAR(farthest(faded, -1, 0), 37, 1e-9);
    EXPECT_NEAR(farthest(faded, 0, 1), 27, 1e-9);
    const double diagonal = std::sqrt(0.5);
    EXPECT_NEAR(farthest(faded, diagonal, diagonal), (32 + 22) * diagonal + 5, 1e-9);
    const std::vector<Point> oval =
        outline("gaussian=region=60x40+100+200:shape=ellipse:feather=5");
    EXPECT_NEAR(farthest(oval, 1, 0), 35, 1e-9);
    EXPECT_NEAR(farthest(oval, 0, -1), 25, 1e-9);
    for (const Point& p : oval) {
        const double ray = std::hypot(p.x - 130, p.y - 220);
        const double inner = ray - 5;
        EXPECT_NEAR(std::hypot((p.x - 130) / ray * inner / 30, (p.y - 220) / ray * inner / 20), 1,
                    1e-9);
    }
}

// In a film, with boxes in files.
class ViewerMovingRegions : public ViewerRegionEdit {
 protected:
    ViewerMovingRegions() : edit(folder.path()) {}

    // Ten seconds at 10 frames per second.
    void show(double seconds) {
        edit.show({.film = "drive.mp4",
                   .width = 200,
                   .height = 100,
                   .end = 10,
                   .frame_rate = 10,
                   .frame = {std::llround(seconds * 10), seconds, 0.1}});
    }
    bool is_set(const char* param) const {
        return editor.steps().front().step.params.is_set(param);
    }
    std::string boxes() const { return editor.steps().front().step.params.text("boxes"); }
    double left(std::size_t region) const { return edit.regions(editor, canvas()).at(region).left; }
    bool is_here(std::size_t region) const {
        const RegionRect rect = edit.regions(editor, canvas()).at(region);
        return rect.right > rect.left;
    }
    void drag(Point from, Point to) {
        ASSERT_TRUE(edit.press(editor, canvas(), from, kReach));
        edit.drag(editor, canvas(), {(from.x + to.x) / 2, (from.y + to.y) / 2});
        edit.drag(editor, canvas(), to);
        edit.release(editor);
    }

    test::TemporaryFolder folder;
    RegionEdit edit;
};

// Held from the first second on, so that it has boxes: the drag at 5 s moves it by 40 pixels.
TEST_F(ViewerMovingRegions, ADragDrawsTheBoxOfTheShownFrame) {
    add("30x40+10+20");
    show(1);
    ASSERT_TRUE(edit.hold(editor));
    EXPECT_FALSE(is_set("region"));
    const std::string held = boxes();
    show(5);
    ASSERT_TRUE(edit.press(editor, canvas(), {100, 100}, kReach));
    edit.drag(editor, canvas(), {180, 100});
    EXPECT_EQ(left(0), 50);
    EXPECT_EQ(boxes(), held);  // until the end of the drag
    edit.release(editor);
    EXPECT_NE(boxes(), held);
    EXPECT_EQ(left(0), 50);
    show(3);
    EXPECT_EQ(left(0), 30);  // half of the way between the two
    show(9);
    EXPECT_EQ(left(0), 50);
    editor.undo();
    EXPECT_EQ(boxes(), held);
    EXPECT_EQ(left(0), 10);
    editor.undo();
    EXPECT_EQ(text(), "30x40+10+20");
    editor.redo();
    editor.redo();
    EXPECT_EQ(left(0), 50);
}

TEST_F(ViewerMovingRegions, CancelTakesADragBack) {
    add("30x40+10+20");
    ASSERT_TRUE((show(1), edit.hold(editor)));
    const std::uint64_t revision = editor.revision();
    ASSERT_TRUE(edit.press(editor, canvas(), {100, 100}, kReach));
    edit.drag(editor, canvas(), {180, 100});
    EXPECT_TRUE(edit.cancel(editor));
    EXPECT_EQ(left(0), 10);
    EXPECT_EQ(editor.revision(), revision);
}

// A region that is drawn next to one that moves is in the whole film, and is removed with Delete.
TEST_F(ViewerMovingRegions, OthersAreDrawnAndRemoved) {
    add("30x40+10+20");
    show(1);
    ASSERT_TRUE(edit.hold(editor));
    show(5);
    edit.set_drawing(editor.steps().front().id, true);
    drag({250, 60}, {310, 140});
    EXPECT_FALSE(edit.draws(editor));
    ASSERT_EQ(edit.tracks(editor)->objects.size(), 2U);
    EXPECT_EQ(edit.selected(editor), 1U);
    for (const double seconds : {0.0, 5.0, 9.9}) {
        show(seconds);
        EXPECT_EQ(left(1), 100);
    }
    EXPECT_TRUE(edit.remove(editor));
    EXPECT_EQ(edit.tracks(editor)->objects.size(), 1U);
    EXPECT_TRUE(edit.remove(editor));
    EXPECT_FALSE(is_set("boxes"));
    EXPECT_FALSE(edit.remove(editor));
    editor.undo();
    editor.undo();
    EXPECT_EQ(edit.tracks(editor)->objects.size(), 2U);
}

TEST_F(ViewerMovingRegions, DeleteFromHereEndsTheSelectedOne) {
    add("30x40+10+20|9x9+100+50");
    show(5);
    ASSERT_TRUE(edit.delete_from_here(editor));
    EXPECT_FALSE(is_here(0));
    EXPECT_TRUE(is_here(1));
    EXPECT_FALSE(edit.grip_at(editor, canvas(), {100, 100}, kReach));
    show(4.9);
    EXPECT_TRUE(is_here(0));
}

TEST_F(ViewerMovingRegions, OfAFileOnlyTheIdsOfTheStepAreEdited) {
    const std::string file = folder
                                 .write("plates.csv",
                                        "time,id,left,top,width,height\n0,1,10,20,30,40\n"
                                        "0,2,50,20,30,40\n0,3,100,20,30,40\n")
                                 .string();
    editor.replace("box=radius=3:boxes='" + file + "':ids=1|3");
    show(0);
    ASSERT_EQ(edit.tracks(editor)->objects.size(), 2U);
    EXPECT_EQ(left(1), 100);
    drag({300, 100}, {320, 100});
    EXPECT_NE(boxes(), file);
    EXPECT_FALSE(is_set("ids"));
    EXPECT_EQ(edit.tracks(editor)->objects[1].id, 3);
    EXPECT_EQ(left(1), 110);
}

TEST_F(ViewerMovingRegions, TheSelectedOneIsDrawnAgain) {
    add("30x40+10+20|9x9+100+50");
    show(1);
    ASSERT_TRUE(edit.hold(editor));
    show(5);
    ASSERT_TRUE(edit.redraw(editor));
    EXPECT_TRUE(edit.draws(editor));
    drag({250, 60}, {310, 140});
    EXPECT_FALSE(edit.draws(editor));
    ASSERT_EQ(edit.tracks(editor)->objects.size(), 2U);
    EXPECT_EQ(left(0), 100);
    show(1);
    EXPECT_EQ(left(0), 10);
    // The next one is drawn as one more.
    edit.set_drawing(editor.steps().front().id, true);
    drag({250, 60}, {310, 140});
    EXPECT_EQ(edit.tracks(editor)->objects.size(), 3U);
}

TEST_F(ViewerMovingRegions, AStillRegionIsDrawnAgain) {
    add("30x40+10+20|9x9+100+50");
    show(1);
    ASSERT_TRUE(edit.redraw(editor));
    drag({250, 60}, {310, 140});
    EXPECT_EQ(text(), "30x40+100+20|9x9+100+50");
    add("");
    EXPECT_FALSE(edit.redraw(editor));
    EXPECT_FALSE(edit.draws(editor));
}

TEST_F(ViewerMovingRegions, AreShownWhereTheGapHasThem) {
    const std::string file = folder
                                 .write("gaps.csv",
                                        "time,id,left,top,width,height\n1,1,10,20,30,40\n"
                                        "3,1,50,20,30,40\n")
                                 .string();
    editor.replace("box=radius=3:boxes='" + file + "'");
    show(2);
    EXPECT_EQ(left(0), 30);
    (void)editor.set(editor.steps().front().id, "gap", "hold");
    EXPECT_EQ(left(0), 10);
    (void)editor.set(editor.steps().front().id, "gap", "off");
    EXPECT_FALSE(is_here(0));
}

// A name survives edits, tracking and undo, and is read from the file again.
TEST_F(ViewerMovingRegions, HaveNamesThatTheirFileKeeps) {
    add("30x40+10+20|9x9+100+50");
    show(1);
    EXPECT_FALSE(edit.rename(editor, 2, "red car"));  // regions that stand still have no file
    ASSERT_TRUE(edit.hold(editor));
    EXPECT_FALSE(edit.rename(editor, 3, "red car"));
    ASSERT_TRUE(edit.rename(editor, 2, "red: car # 2\nor not"));
    EXPECT_EQ(edit.tracks(editor)->objects[0].name, "");
    EXPECT_EQ(edit.tracks(editor)->objects[1].name, "red: car # 2 or not");
    show(5);
    ASSERT_TRUE(edit.hold(editor));
    EXPECT_EQ(edit.tracks(editor)->objects[1].name, "red: car # 2 or not");
    BoxFiles files(folder.path());
    const auto read = files.load(boxes());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->tracks.made_for, "drive.mp4");
    EXPECT_EQ(read->tracks.objects, edit.tracks(editor)->objects);
    (void)editor.set(editor.steps().front().id, "ids", "2");
    ASSERT_EQ(edit.tracks(editor)->objects.size(), 1U);
    EXPECT_EQ(edit.tracks(editor)->objects[0].name, "red: car # 2 or not");
    for (int k = 0; k < 3; ++k) editor.undo();
    EXPECT_EQ(edit.tracks(editor)->objects[1].name, "");
}

TEST_F(ViewerMovingRegions, AreMovedByKeysAsOneDrag) {
    add("30x40+10+20");
    show(1);
    ASSERT_TRUE(edit.hold(editor));
    const std::string held = boxes();
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(edit.move_by(editor, canvas(), {}, {1, 0}));
    EXPECT_EQ(left(0), 13);
    EXPECT_EQ(boxes(), held);
    edit.release(editor);
    EXPECT_EQ(left(0), 13);
    editor.undo();
    EXPECT_EQ(boxes(), held);
}

TEST_F(ViewerMovingRegions, AStillPictureHasNone) {
    add("30x40+10+20");
    EXPECT_FALSE(edit.hold(editor));
    EXPECT_FALSE(edit.delete_from_here(editor));
    EXPECT_FALSE(edit.track(editor));
    EXPECT_EQ(edit.take_problem(), "");
    EXPECT_FALSE(edit.review(editor, true));
}

// The results of the first one make boxes of both regions; the second is still found.
TEST_F(ViewerMovingRegions, WaitForTheTrackerInOrder) {
    add("30x40+10+20|30x40+100+50");
    show(1);
    EXPECT_TRUE(edit.track(editor));
    EXPECT_TRUE(edit.track(editor));  // once
    ASSERT_EQ(edit.to_follow().size(), 1U);
    ASSERT_TRUE(edit.press(editor, canvas(), {260, 140}, kReach));
    edit.release(editor);
    EXPECT_EQ(edit.selected(editor), 1U);
    EXPECT_TRUE(edit.track(editor));
    ASSERT_EQ(edit.to_follow().size(), 2U);
    EXPECT_EQ(edit.to_follow()[0].jobs[0].drawn[0].box.left, 10);
    EXPECT_EQ(edit.to_follow()[1].jobs[0].drawn[0].box.left, 100);
    for (const double left : {15.0, 105.0}) {
        TrackReport report;
        report.frames.push_back(
            {.number = 21, .seconds = 2, .box = {left, 20, 30, 40}, .confidence = 0.9});
        EXPECT_TRUE(edit.end_track(editor, {{report}}));
    }
    EXPECT_TRUE(edit.to_follow().empty());
    show(2);
    EXPECT_EQ(left(0), 15);
    EXPECT_EQ(left(1), 105);
    EXPECT_TRUE(edit.track(editor));
    EXPECT_FALSE(edit.end_track(editor, {}));
    EXPECT_TRUE(edit.to_follow().empty());
    EXPECT_TRUE(edit.track(editor));
    edit.cancel_tracks();
    EXPECT_TRUE(edit.to_follow().empty());
}

TEST_F(ViewerMovingRegions, AFolderThatCannotBeWrittenIsAProblem) {
    folder.write("file", "");
    edit = RegionEdit(folder.path() / "file");
    add("30x40+10+20");
    show(1);
    edit.hold(editor);
    EXPECT_NE(edit.take_problem(), "");
    EXPECT_EQ(text(), "30x40+10+20");
}

// The region is (70, 60) to (130, 140) on the screen.
TEST_F(ViewerRegionEdit, APressGrabsAHandleOrTheInside) {
    add("30x40+10+20");
    struct Case {
        Point at;
        std::optional<RegionGrip> grip;
    };
    for (const auto& [at, grip] :
         {Case{{70, 60}, RegionGrip{-1, -1}}, Case{{100, 55}, RegionGrip{0, -1}},
          Case{{136, 60}, RegionGrip{1, -1}}, Case{{70, 100}, RegionGrip{-1, 0}},
          Case{{130, 96}, RegionGrip{1, 0}}, Case{{68, 142}, RegionGrip{-1, 1}},
          Case{{100, 140}, RegionGrip{0, 1}}, Case{{131, 141}, RegionGrip{1, 1}},
          Case{{90, 80}, RegionGrip{}}, Case{{90, 150}, std::nullopt},
          Case{{60, 80}, std::nullopt}})
        EXPECT_EQ(edit.grip_at(editor, canvas(), at, kReach), grip) << at.x << "," << at.y;
}

TEST_F(ViewerRegionEdit, EachDragIsOneStepOfUndo) {
    edit.set_drawing(add(""), true);
    drag({70, 60}, {130, 140});
    EXPECT_EQ(text(), "30x40+10+20");
    EXPECT_FALSE(edit.draws(editor));
    drag({100, 100}, {120, 90});
    EXPECT_EQ(text(), "30x40+20+15");
    drag({150, 130}, {190, 150});
    EXPECT_EQ(text(), "50x50+20+15");
    editor.undo();
    EXPECT_EQ(text(), "30x40+20+15");
    editor.undo();
    EXPECT_EQ(text(), "30x40+10+20");
    editor.undo();
    EXPECT_EQ(text(), "");
}

// The second region covers a part of the first, and is pressed in that part.
// All steps until the key is released are one step of undo, also after the picture's edge.
TEST_F(ViewerRegionEdit, KeysMoveTheSelectedRegionAndItsSides) {
    EXPECT_FALSE(edit.move_by(editor, canvas(), {}, {1, 0}));
    add("30x40+10+20");
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(edit.move_by(editor, canvas(), {}, {0, -1}));
    EXPECT_EQ(text(), "30x40+10+17");
    ASSERT_TRUE(edit.move_by(editor, canvas(), {1, 0}, {-1, 0}));
    EXPECT_EQ(text(), "29x40+10+17");
    ASSERT_TRUE(edit.move_by(editor, canvas(), {0, 1}, {0, 1}));
    edit.release(editor);
    EXPECT_EQ(text(), "29x41+10+17");
    EXPECT_FALSE(edit.drags());
    for (const char* before : {"29x40+10+17", "30x40+10+17", "30x40+10+20"}) {
        editor.undo();
        EXPECT_EQ(text(), before);
    }
    ASSERT_TRUE(edit.move_by(editor, canvas(), {}, {5, 5}));
    EXPECT_FALSE(edit.press(editor, canvas(), {100, 100}, kReach));
    edit.drag(editor, canvas(), {300, 100});
    EXPECT_EQ(text(), "30x40+15+25");
    EXPECT_TRUE(edit.cancel(editor));
    EXPECT_EQ(text(), "30x40+10+20");
    ASSERT_TRUE(edit.press(editor, canvas(), {100, 100}, kReach));
    EXPECT_FALSE(edit.move_by(editor, canvas(), {}, {1, 0}));
    edit.release(editor);
}

TEST_F(ViewerRegionEdit, TheSelectedRegionIsDraggedFirst) {
    edit.set_drawing(add("50%x50%+0+0"), true);
    drag({150, 70}, {250, 170});
    EXPECT_EQ(text(), "50%x50%+0+0|50x50+50+25");
    drag({170, 100}, {172, 102});
    EXPECT_EQ(text(), "50%x50%+0+0|50x50+51+26");
    drag({60, 30}, {62, 32});  // only the first is here
    EXPECT_EQ(text(), "100x50+1+1|50x50+51+26");
    drag({172, 95}, {174, 97});
    EXPECT_EQ(text(), "100x50+2+2|50x50+51+26");
    EXPECT_TRUE(edit.remove(editor));
    EXPECT_EQ(text(), "50x50+51+26");
    EXPECT_TRUE(edit.remove(editor));
    EXPECT_FALSE(edit.remove(editor));
    EXPECT_FALSE(editor.steps().front().step.params.is_set("region"));
}

TEST_F(ViewerRegionEdit, AnotherPlaceOrAClickChangesNothing) {
    add("30x40+10+20");
    const std::uint64_t revision = editor.revision();
    EXPECT_FALSE(edit.press(editor, canvas(), {300, 200}, kReach));
    drag({100, 100}, {100, 100});
    edit.set_drawing(editor.steps().front().id, true);
    drag({300, 200}, {303, 197});
    EXPECT_EQ(editor.revision(), revision);
    EXPECT_TRUE(edit.draws(editor));
}

TEST_F(ViewerRegionEdit, CancelTakesADragBackOrEndsDrawing) {
    edit.set_drawing(add("30x40+10+20"), true);
    EXPECT_TRUE(edit.cancel(editor));
    EXPECT_FALSE(edit.draws(editor));
    EXPECT_FALSE(edit.cancel(editor));
    ASSERT_TRUE(edit.press(editor, canvas(), {100, 100}, kReach));
    edit.drag(editor, canvas(), {120, 100});
    EXPECT_EQ(text(), "30x40+20+20");
    EXPECT_TRUE(edit.cancel(editor));
    EXPECT_EQ(text(), "30x40+10+20");
    edit.drag(editor, canvas(), {140, 100});
    EXPECT_EQ(text(), "30x40+10+20");
}

TEST_F(ViewerRegionEdit, ShowsTheChosenStepElseTheLastWithRegions) {
    editor.replace("box=radius=3:region=9x9+0+0,sobel=region=8x8+0+0,gaussian");
    const auto& steps = editor.steps();
    EXPECT_EQ(edit.step(editor), steps[1].id);
    edit.choose(steps[0].id);
    EXPECT_EQ(edit.step(editor), steps[0].id);
    edit.choose(steps[2].id);
    EXPECT_TRUE(edit.regions(editor, canvas()).empty());
    editor.remove(steps[2].id);
    EXPECT_EQ(edit.step(editor), editor.steps()[1].id);
    edit.set_drawing(editor.steps()[0].id, true);
    editor.remove(editor.steps()[0].id);
    EXPECT_FALSE(edit.draws(editor));
}

}  // namespace
}  // namespace weft
