// Which picture the view shows where: for the renderer, the numbers on pixels, and the mouse. Pure.
#pragma once

#include <optional>
#include <vector>

#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_state.h"

namespace weft {

// A part of the picture's area with one picture in it.
struct ViewPart {
    Rect viewport;  // the picture is placed in it
    Rect visible;   // nothing is drawn outside; smaller than `viewport` on each side of a wipe
    Side side = 0;
    std::optional<Side> minus;  // the picture is the difference `side` - `minus`

    bool operator==(const ViewPart&) const = default;
};

// The parts of `area`, left or upper one first. `picture` is its display size. Parts do not
// overlap. While the original is held, every part shows it.
std::vector<ViewPart> view_parts(const ViewState& view, ScreenSize picture, const Rect& area);

// The line of a wipe as it is drawn and dragged: see wipe_in_view().
double wipe_in_view(const ViewState& view, ScreenSize picture, const Rect& area);

// The viewport of the part at a place on the screen; outside all parts, of the first one.
Rect viewport_at(const ViewState& view, ScreenSize picture, const Rect& area, Point screen);

// Whether two pictures that fit the area are larger one above the other than side by side.
bool stacked_is_larger(ScreenSize picture, const Rect& area);

}  // namespace weft
