// Where the parts of the window lie. Pure, in screen units.
#pragma once

#include "app/viewer/view_geometry.h"

namespace weft {

struct LayoutRequest {
    ScreenSize window;
    double scale = 1;  // of the user interface
    double menu_height = 0;
    bool side_open = true;     // the column of panels
    bool bottom_open = false;  // the wide panels below the picture
    bool bare = false;         // fullscreen: the picture alone
};

struct WindowLayout {
    Rect menu, picture, side, bottom, transport;
};

// The picture stays the largest part: the side column and the bottom panel give way before it does.
WindowLayout lay_out(const LayoutRequest& request);

}  // namespace weft
