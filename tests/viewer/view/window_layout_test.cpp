#include <gtest/gtest.h>

#include "app/viewer/view/view_geometry.h"

namespace weft {
namespace {

double area(const Rect& rect) {
    return rect.width * rect.height;
}

TEST(ViewerLayout, PartsTileTheWindow) {
    for (const ScreenSize window :
         {ScreenSize{1280, 800}, ScreenSize{640, 360}, ScreenSize{3840, 2160}})
        for (const double scale : {1.0, 2.0})
            for (const bool side : {false, true})
                for (const bool bottom : {false, true}) {
                    const WindowLayout l = lay_out({.window = window,
                                                    .scale = scale,
                                                    .menu_height = 20 * scale,
                                                    .side_open = side,
                                                    .bottom_open = bottom,
                                                    .compare = true});
                    EXPECT_EQ(area(l.compare) > 0, window.height >= 360 * scale);
                    EXPECT_EQ(l.compare.y + l.compare.height, l.picture.y);
                    EXPECT_NEAR(area(l.menu) + area(l.compare) + area(l.picture) + area(l.side) +
                                    area(l.bottom) + area(l.transport),
                                window.width * window.height, 1e-6);
                    EXPECT_EQ(l.transport.y + l.transport.height, window.height);
                    for (const Rect& other : {l.menu, l.side, l.bottom, l.transport})
                        EXPECT_GT(area(l.compare) + area(l.picture), area(other));
                }
}

TEST(ViewerLayout, FullscreenShowsThePictureOnly) {
    const WindowLayout l =
        lay_out({.window = {1920, 1080}, .bottom_open = true, .bare = true, .controls = false});
    EXPECT_EQ(l.picture, (Rect{0, 0, 1920, 1080}));
    EXPECT_EQ(area(l.transport) + area(l.side) + area(l.bottom) + area(l.menu), 0);
}

TEST(ViewerLayout, ControlsInFullscreenAreOverThePicture) {
    const WindowLayout l =
        lay_out({.window = {1920, 1080}, .menu_height = 20, .compare = true, .bare = true});
    EXPECT_EQ(l.picture, (Rect{0, 0, 1920, 1080}));
    EXPECT_EQ(l.compare.y, 20);
    EXPECT_GT(area(l.compare), 0);
    EXPECT_EQ(l.transport.y + l.transport.height, 1080);
    EXPECT_GT(area(l.transport), 0);
    EXPECT_GT(area(l.menu), 0);
    EXPECT_EQ(area(l.side) + area(l.bottom), 0);
}

TEST(ViewerLayout, StillsHaveALowerTransportBar) {
    const WindowLayout video = lay_out({.window = {1280, 800}});
    const WindowLayout still = lay_out({.window = {1280, 800}, .timeline = false});
    EXPECT_LT(still.transport.height, video.transport.height);
    EXPECT_GT(still.picture.height, video.picture.height);
}

TEST(ViewerLayout, MotionMakesTheTransportBarHigher) {
    const WindowLayout video = lay_out({.window = {1280, 800}});
    const WindowLayout motion = lay_out({.window = {1280, 800}, .motion = true});
    EXPECT_GT(motion.transport.height, video.transport.height);
    EXPECT_EQ(motion.picture.height + motion.transport.height,
              video.picture.height + video.transport.height);
    const WindowLayout still = lay_out({.window = {1280, 800}, .timeline = false, .motion = true});
    EXPECT_LT(still.transport.height, video.transport.height);
}

TEST(ViewerLayout, TheBottomPanelIsAsHighAsDraggedWithinBounds) {
    LayoutRequest request{.window = {1280, 720}, .scale = 2, .bottom_open = true};
    const double between = 720 - 128;
    request.bottom_height = 150;
    EXPECT_EQ(lay_out(request).bottom.height, 300);
    EXPECT_EQ(lay_out(request).picture.height, between - 300);
    for (const double dragged : {5000.0, 1.0}) {
        request.bottom_height = dragged;
        EXPECT_GT(lay_out(request).picture.height, between * 0.15) << dragged;
        EXPECT_GT(lay_out(request).bottom.height, between * 0.05) << dragged;
    }
}

TEST(ViewerLayout, TheSideColumnIsAsWideAsDraggedWithinBounds) {
    LayoutRequest request{.window = {1600, 900}, .scale = 2};
    request.side_width = 250;
    EXPECT_EQ(lay_out(request).side.width, 500);
    EXPECT_EQ(lay_out(request).picture.width, 1100);
    for (const double dragged : {5000.0, 1.0}) {
        request.side_width = dragged;
        EXPECT_GT(lay_out(request).picture.width, 1600 * 0.25) << dragged;
        EXPECT_GT(lay_out(request).side.width, 1600 * 0.1) << dragged;
    }
}

TEST(ViewerLayout, TheSideColumnGrowsWithTheWindow) {
    const double usual = lay_out({.window = {1280, 720}}).side.width;
    const double large = lay_out({.window = {1920, 1080}}).side.width;
    const double largest = lay_out({.window = {3840, 2160}}).side.width;
    EXPECT_GT(large, usual);
    EXPECT_LT(largest, large * 3840 / 1920);
    EXPECT_EQ(lay_out({.window = {2560, 1440}, .scale = 2}).side.width, 2 * usual);
}

TEST(ViewerLayout, TheStackAndTheOpenSectionShareTheSide) {
    EXPECT_EQ(share_side(500, 200, 0), (SideHeights{500, 0}));
    EXPECT_EQ(share_side(500, 200, 100), (SideHeights{400, 100}));  // both fit
    EXPECT_EQ(share_side(500, 200, 300), (SideHeights{200, 300}));
    EXPECT_EQ(share_side(500, 100, 900), (SideHeights{100, 400}));  // the section takes the rest
    EXPECT_EQ(share_side(500, 900, 100), (SideHeights{400, 100}));
    EXPECT_EQ(share_side(600, 900, 900), (SideHeights{200, 400}));
}

// The toolbar of the stack needs 300 units at scale 1.
TEST(ViewerLayout, TheSideColumnKeepsItsButtonsInSmallWindows) {
    EXPECT_GE(lay_out({.window = {800, 600}}).side.width, 300);
    EXPECT_GE(lay_out({.window = {1600, 1200}, .scale = 2}).side.width, 600);
    EXPECT_GE(lay_out({.window = {1280, 720}, .scale = 2}).side.width, 600);
}

}  // namespace
}  // namespace weft
