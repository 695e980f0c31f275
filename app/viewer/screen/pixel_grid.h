// Sample values to display on visible pixels at a zoom where the text fits.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/view/view_geometry.h"

namespace weft {

// One coded pixel: its place on the screen and its sample values at the file's depth, in the order
// of the frame's components, one per line.
struct GridCell {
    Rect place;
    std::string values;
};

struct GridRequest {
    Rect placed;    // the whole picture on the screen
    Rect viewport;  // the visible part of it
    DisplayShape shape;
};

// Values fit from this many screen units per display pixel on.
inline constexpr double kGridScale = 40;

// Empty below kGridScale. Reads the visible samples, blocking if they are on a GPU.
std::vector<GridCell> pixel_grid(const FrameInfo& info, const Picture& picture,
                                 const GridRequest& request);

// A sample as text: integers unchanged, floats with four decimals.
std::string sample_text(const FrameInfo& info, float value);

}  // namespace weft
