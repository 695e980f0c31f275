// Layout of the window's parts, and placement of the picture: fitting, zooming at the cursor,
// panning. Pure.
#pragma once

#include <cstdint>

namespace weft {

struct Point {
    double x = 0;
    double y = 0;

    bool operator==(const Point&) const = default;
};

struct ScreenSize {
    double width = 0;
    double height = 0;

    bool operator==(const ScreenSize&) const = default;
};

// x grows to the right, y downwards.
struct Rect {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    bool contains(Point p) const {
        return p.x >= x && p.y >= y && p.x < x + width && p.y < y + height;
    }
    bool operator==(const Rect&) const = default;
};

// The display geometry of a picture: coded size, sample aspect, and the rotation applied by
// players.
struct DisplayShape {
    int width = 0;  // coded
    int height = 0;
    double sample_aspect = 1;  // width over height of a coded sample
    int rotation_degrees = 0;  // clockwise: 0, 90, 180, 270

    // In square pixels of display space; one coded row or column keeps its density.
    ScreenSize display_size() const;
    // Converts between display space, from the upper left corner, and coded samples. Sample centres
    // are at half a sample: the first is at (0.5, 0.5).
    Point to_coded(Point display) const;
    Point to_display(Point coded) const;
};

// The user's choice; the rest follows from the sizes.
struct ViewZoom {
    double scale = 0;   // screen pixels per display pixel; 0: fit
    Point centre = {};  // the display point in the viewport's middle, unless scale is 0

    bool fits() const { return scale == 0; }
};

inline constexpr double kLeastScale = 1.0 / 16;
inline constexpr double kMostScale = 64;

// The picture's rectangle on the screen. Fitting keeps the aspect and centres; if a side of
// `picture` or `viewport` is 0, the rectangle is empty.
Rect place_picture(const ViewZoom& zoom, ScreenSize picture, Rect viewport);

// Where two rectangles overlap; without width or height where they do not.
Rect common_part(const Rect& a, const Rect& b);

// The effective scale: zoom.scale, or the scale that fits.
double effective_scale(const ViewZoom& zoom, ScreenSize picture, Rect viewport);

// Zooms by `factor`, keeping the point under `cursor` in place. The scale is clamped to its limits.
ViewZoom zoomed_at(const ViewZoom& zoom, double factor, Point cursor, ScreenSize picture,
                   Rect viewport);

// Maps one display pixel to one screen pixel, keeping the point under `cursor` in place.
ViewZoom one_to_one(const ViewZoom& zoom, Point cursor, ScreenSize picture, Rect viewport);

// Moves the picture by screen pixels, keeping the viewport's middle on it. A fitting picture does
// not move.
ViewZoom panned(const ViewZoom& zoom, double dx, double dy, ScreenSize picture);

// Makes what `box` shows of a picture at `placed` as large as fits the viewport, within the limits
// of the scale. Unchanged if the box shows nothing of it.
ViewZoom zoomed_to(const ViewZoom& zoom, const Rect& box, const Rect& placed, ScreenSize picture,
                   Rect viewport);

// The display point at a screen position, also outside the picture.
Point screen_to_display(Point screen, const Rect& placed, ScreenSize picture);

enum class WipeOrientation : std::uint8_t { vertical, horizontal };  // the line's direction

// The part of a picture at `placed` that shows the right side: right of the line, or below it. `at`
// is the position of the line, 0 to 1 of the width or height.
Rect right_of_wipe(WipeOrientation line, double at, const Rect& placed);

// The position of a line where a zoomed picture would hide it: a twentieth of what `area` shows of
// the picture from the edge that it is behind, so that both sides are seen and it can be dragged.
// At an edge of the picture itself the line stays where it is.
double wipe_in_view(WipeOrientation line, double at, const Rect& placed, const Rect& area);

// The position of the line through a point on the screen, clamped to the picture.
double wipe_through(WipeOrientation line, Point screen, const Rect& placed);

struct LayoutRequest {
    ScreenSize window;
    double scale = 1;  // UI scale
    double menu_height = 0;
    bool side_open = true;     // the column of panels
    bool bottom_open = false;  // the wide panels below the picture
    double side_width = 0;     // as dragged, at scale 1; 0: automatic
    double bottom_height = 0;  // likewise
    bool timeline = true;      // the transport bar has one above its buttons
    bool motion = false;       // and the strip of motion above that
    bool compare = false;      // the bar of the comparison, above the picture
    bool bare = false;         // fullscreen: the picture fills the window
    bool controls = true;      // with `bare`: menu and bars, over the picture
};

struct WindowLayout {
    double scale = 1;
    Rect menu, compare, picture, side, bottom, transport;
};

// The picture stays the largest part, unless an edge was dragged: the side column and bottom panel
// shrink first. The automatic side column grows with the window, and keeps the width of its buttons
// in windows of 800 pixels and more at scale 1.
WindowLayout lay_out(const LayoutRequest& request);

// The heights of the stack and of the open section below it, which share `room`. Both get the
// height they need if it is there; otherwise the section gets what the stack leaves, and at least
// two thirds: a stack of six filters would hide the buttons of an export otherwise.
struct SideHeights {
    double stack = 0;
    double section = 0;

    bool operator==(const SideHeights&) const = default;
};
SideHeights share_side(double room, double stack_needs, double section_needs);

}  // namespace weft
