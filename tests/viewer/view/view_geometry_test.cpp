#include "app/viewer/view/view_geometry.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr Rect kViewport{100, 50, 800, 400};

void expect_near(Point got, Point want) {
    EXPECT_NEAR(got.x, want.x, 1e-9);
    EXPECT_NEAR(got.y, want.y, 1e-9);
}

TEST(ViewerGeometry, FitsByTheTighterSideAndCentres) {
    EXPECT_EQ(place_picture({}, {1600, 400}, kViewport), (Rect{100, 150, 800, 200}));
    EXPECT_EQ(place_picture({}, {400, 400}, kViewport), (Rect{300, 50, 400, 400}));
    EXPECT_EQ(place_picture({}, {0, 400}, kViewport).width, 0);
}

TEST(ViewerGeometry, TheWipeLineStaysInsideAZoomedPicture) {
    const Rect area{0, 20, 400, 300};
    using enum WipeOrientation;
    struct Case {
        Rect placed;
        WipeOrientation line = vertical;
        double at = 0, in_view = 0;
    };
    const Rect inside{100, 50, 200, 200};
    const Rect zoomed{-1000, -500, 2000, 1000};  // 0.5 to 0.7 and 0.52 to 0.82 are in view
    const Rect begins{100, 50, 2000, 1000};      // 0 to 0.15 is in view
    for (const auto& [placed, line, at, in_view] :
         {Case{inside, vertical, 0.5, 0.5}, Case{inside, vertical, 0, 0},
          Case{inside, horizontal, 1, 1}, Case{zoomed, vertical, 0.6, 0.6},
          Case{zoomed, vertical, 0.4, 0.51}, Case{zoomed, vertical, 0.8, 0.69},
          Case{zoomed, horizontal, 0.51, 0.535}, Case{zoomed, horizontal, 0.9, 0.805},
          Case{begins, vertical, 0, 0}, Case{begins, vertical, 0.9, 0.1425}})
        EXPECT_NEAR(wipe_in_view(line, at, placed, area), in_view, 1e-12) << at << " " << in_view;
    EXPECT_EQ(wipe_in_view(vertical, 0.3, {}, area), 0.3);
}

TEST(ViewerGeometry, TheWipeLineFollowsTheMouse) {
    const Rect placed{100, 50, 800, 400};
    EXPECT_EQ(right_of_wipe(WipeOrientation::vertical, 0.25, placed), (Rect{300, 50, 600, 400}));
    EXPECT_EQ(right_of_wipe(WipeOrientation::horizontal, 0.25, placed), (Rect{100, 150, 800, 300}));
    struct Case {
        WipeOrientation line = WipeOrientation::vertical;
        Point screen;
        double at = 0;
    };
    for (const auto& [line, screen, at] : {Case{WipeOrientation::vertical, {300, 400}, 0.25},
                                           Case{WipeOrientation::horizontal, {300, 350}, 0.75},
                                           Case{WipeOrientation::vertical, {-5, 60}, 0},
                                           Case{WipeOrientation::vertical, {9e3, 60}, 1},
                                           Case{WipeOrientation::horizontal, {200, 0}, 0},
                                           Case{WipeOrientation::horizontal, {200, 9e3}, 1}})
        EXPECT_EQ(wipe_through(line, screen, placed), at) << screen.x << "," << screen.y;
}

TEST(ViewerGeometry, KeepsThePointUnderTheCursorWhileZooming) {
    const ScreenSize picture{1920, 1080};
    const Point cursor{333, 222};
    ViewZoom zoom;
    const Point held = screen_to_display(cursor, place_picture(zoom, picture, kViewport), picture);
    for (const double factor : {1.25, 2.0, 3.0, 0.5, 1.1}) {
        zoom = zoomed_at(zoom, factor, cursor, picture, kViewport);
        expect_near(screen_to_display(cursor, place_picture(zoom, picture, kViewport), picture),
                    held);
    }
    zoom = one_to_one(zoom, cursor, picture, kViewport);
    EXPECT_EQ(place_picture(zoom, picture, kViewport).width, 1920);
    expect_near(screen_to_display(cursor, place_picture(zoom, picture, kViewport), picture), held);
}

TEST(ViewerGeometry, KeepsTheScaleWithinItsLimits) {
    const ScreenSize picture{100, 100};
    EXPECT_EQ(zoomed_at({}, 1e9, {0, 0}, picture, kViewport).scale, kMostScale);
    EXPECT_EQ(zoomed_at({}, 1e-9, {0, 0}, picture, kViewport).scale, kLeastScale);
}

TEST(ViewerGeometry, PansByScreenPixelsWithinThePicture) {
    const ScreenSize picture{1000, 1000};
    const ViewZoom zoom{2, {500, 500}};
    const Rect before = place_picture(zoom, picture, kViewport);
    const Rect after = place_picture(panned(zoom, 30, -20, picture), picture, kViewport);
    EXPECT_DOUBLE_EQ(after.x - before.x, 30);
    EXPECT_DOUBLE_EQ(after.y - before.y, -20);
    const Rect far = place_picture(panned(zoom, 1e6, 1e6, picture), picture, kViewport);
    EXPECT_DOUBLE_EQ(far.x, kViewport.x + kViewport.width / 2);
    EXPECT_DOUBLE_EQ(far.y, kViewport.y + kViewport.height / 2);
    EXPECT_TRUE(panned({}, 10, 10, picture).fits());
}

// The corner sample of each rotation, and an off-diagonal point converted both ways.
TEST(ViewerGeometry, RotatesAndStretchesLikeAPlayer) {
    struct Case {
        int degrees = 0;
        Point first_sample;  // where coded (0, 0) is shown
        ScreenSize size;
    };
    for (const Case& c : {Case{0, {0, 0}, {80, 30}}, Case{90, {30, 0}, {30, 80}},
                          Case{180, {80, 30}, {80, 30}}, Case{270, {0, 80}, {30, 80}}}) {
        const DisplayShape shape{40, 30, 2.0, c.degrees};
        EXPECT_EQ(shape.display_size(), c.size) << c.degrees;
        expect_near(shape.to_display({0, 0}), c.first_sample);
        expect_near(shape.to_coded(shape.to_display({7, 21})), {7, 21});
    }
    EXPECT_EQ((DisplayShape{40, 30, 0.5, 0}.display_size()), (ScreenSize{40, 60}));
}

// A box of 50 × 20 units over a picture at twice its size, in a viewport of 400 × 200: eight times
// as large, limited by the width.
TEST(ViewerGeometry, ZoomsToABox) {
    const ScreenSize picture{100, 60};
    const Rect viewport{0, 0, 400, 200};
    const ViewZoom before{2, {50, 30}};
    const Rect placed = place_picture(before, picture, viewport);
    const Rect box{placed.x + 20, placed.y + 10, 50, 20};
    const ViewZoom zoom = zoomed_to(before, box, placed, picture, viewport);
    EXPECT_DOUBLE_EQ(zoom.scale, 16);
    EXPECT_DOUBLE_EQ(zoom.centre.x, (20 + 25) / 2.0);
    EXPECT_DOUBLE_EQ(zoom.centre.y, (10 + 10) / 2.0);
    // Only the part over the picture counts, here all of it.
    const ViewZoom all = zoomed_to(before, {-50, -50, 900, 900}, placed, picture, viewport);
    EXPECT_DOUBLE_EQ(all.scale, 200 / 60.0);
    EXPECT_DOUBLE_EQ(all.centre.x, 50);
    EXPECT_DOUBLE_EQ(all.centre.y, 30);
    const ViewZoom none = zoomed_to(before, {placed.x - 90, 0, 80, 80}, placed, picture, viewport);
    EXPECT_EQ(none.scale, before.scale);
    const ViewZoom tiny = zoomed_to(before, {box.x, box.y, 1, 1}, placed, picture, viewport);
    EXPECT_EQ(tiny.scale, kMostScale);
}

}  // namespace
}  // namespace weft
