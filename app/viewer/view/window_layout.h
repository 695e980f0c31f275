// Layout of the window's parts. Pure, in screen units.
#pragma once

#include "app/viewer/view/view_geometry.h"

namespace weft {

struct LayoutRequest {
    ScreenSize window;
    double scale = 1;  // UI scale
    double menu_height = 0;
    bool side_open = true;     // the column of panels
    bool bottom_open = false;  // the wide panels below the picture
    bool bare = false;         // fullscreen: picture only
};

struct WindowLayout {
    Rect menu, picture, side, bottom, transport;
};

// The picture stays the largest part: the side column and bottom panel shrink first.
WindowLayout lay_out(const LayoutRequest& request);

}  // namespace weft
