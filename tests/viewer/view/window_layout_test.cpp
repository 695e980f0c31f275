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
                    const WindowLayout l = lay_out({window, scale, 20 * scale, side, bottom});
                    EXPECT_NEAR(area(l.menu) + area(l.picture) + area(l.side) + area(l.bottom) +
                                    area(l.transport),
                                window.width * window.height, 1e-6);
                    EXPECT_EQ(l.transport.y + l.transport.height, window.height);
                    for (const Rect& other : {l.menu, l.side, l.bottom, l.transport})
                        EXPECT_GT(area(l.picture), area(other));
                }
}

TEST(ViewerLayout, FullscreenShowsThePictureOnly) {
    const WindowLayout l = lay_out({.window = {1920, 1080}, .bottom_open = true, .bare = true});
    EXPECT_EQ(l.picture, (Rect{0, 0, 1920, 1080}));
    EXPECT_EQ(area(l.transport) + area(l.side) + area(l.bottom), 0);
}

}  // namespace
}  // namespace weft
