// Where the picture lies in the window: fitting, zooming on the cursor, panning. Pure.
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

// A picture as it is shown: coded samples, their aspect, and the turn that a player applies.
struct DisplayShape {
    int width = 0;  // coded
    int height = 0;
    double sample_aspect = 1;  // width over height of a coded sample
    int rotation_degrees = 0;  // clockwise: 0, 90, 180, 270

    // In square pixels of display space; one coded row or column keeps its density.
    ScreenSize display_size() const;
    // Display space, from the upper left corner, to coded samples and back. A sample's centre lies
    // at half a sample: the first is at (0.5, 0.5).
    Point to_coded(Point display) const;
    Point to_display(Point coded) const;
};

// What the user chose; the rest follows from the sizes.
struct ViewZoom {
    double scale = 0;   // screen pixels per display pixel; 0: as large as fits
    Point centre = {};  // the display point in the viewport's middle, where scale is not 0

    bool fits() const { return scale == 0; }
};

inline constexpr double kLeastScale = 1.0 / 16;
inline constexpr double kMostScale = 64;

// The picture's rectangle on the screen. Fitting keeps the aspect and centres; a side of `picture`
// or `viewport` that is 0 gives an empty rectangle.
Rect place_picture(const ViewZoom& zoom, ScreenSize picture, Rect viewport);

// The scale in effect: zoom.scale, or the fitting one.
double effective_scale(const ViewZoom& zoom, ScreenSize picture, Rect viewport);

// Zooms by `factor` so that the point under `cursor` stays there. The scale is kept within its
// limits.
ViewZoom zoomed_at(const ViewZoom& zoom, double factor, Point cursor, ScreenSize picture,
                   Rect viewport);

// One display pixel on one screen pixel, with the point under `cursor` kept there.
ViewZoom one_to_one(const ViewZoom& zoom, Point cursor, ScreenSize picture, Rect viewport);

// Moves the picture by so many screen pixels; the viewport's middle stays on it. A fitting picture
// does not move.
ViewZoom panned(const ViewZoom& zoom, double dx, double dy, ScreenSize picture);

// The display point under a place of the screen, also outside the picture.
Point screen_to_display(Point screen, const Rect& placed, ScreenSize picture);

enum class WipeOrientation : std::uint8_t { vertical, horizontal };  // of the line that parts them

// The part of a picture at `placed` that shows the right side: right of the line, or below it. `at`
// is where the line lies, 0 to 1 of the width or the height.
Rect right_of_wipe(WipeOrientation line, double at, const Rect& placed);

// Where the line lies that goes through that place of the screen, or nearest to it.
double wipe_through(WipeOrientation line, Point screen, const Rect& placed);

}  // namespace weft
