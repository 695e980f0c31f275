// The samples under the pixels that are seen, where the zoom is high enough to write them there.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/shown_frame.h"
#include "app/viewer/view_geometry.h"

namespace weft {

// One coded pixel: its place on the screen and its samples as numbers of the file's own depth, in
// the order of the frame's components, one a line.
struct GridCell {
    Rect place;
    std::string values;
};

struct GridRequest {
    Rect placed;    // the whole picture on the screen
    Rect viewport;  // what of it is seen
    DisplayShape shape;
};

// From this many screen units a display pixel on, values fit into it.
inline constexpr double kGridScale = 40;

// Empty below kGridScale. Reads the seen samples, also from a GPU; blocks for that.
std::vector<GridCell> pixel_grid(const FrameInfo& info, const Picture& picture,
                                 const GridRequest& request);

// A sample as text: whole numbers as they are, floats with four digits.
std::string sample_text(const FrameInfo& info, float value);

}  // namespace weft
