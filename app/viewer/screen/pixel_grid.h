// Sample values to display on visible pixels at a zoom where the text fits.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_parts.h"

namespace weft {

// A sample of one component at the file's depth.
struct ComponentText {
    Component component = Component::y;
    std::string text;

    bool operator==(const ComponentText&) const = default;
};

// One coded pixel: the visible part of its place on the screen, and its values, in the order of the
// frame's components.
struct GridCell {
    Rect place;
    std::vector<ComponentText> values;
};

struct GridRequest {
    ViewPart part;
    Rect placed;  // the whole picture on the screen
    DisplayShape shape;
};

// Values fit from this many screen units per display pixel on.
inline constexpr double kGridScale = 40;

// Empty below kGridScale. Reads the visible samples, blocking if they are on a GPU.
std::vector<GridCell> pixel_grid(const ShownFrame& shown, const GridRequest& request);

// The pixel at a coded position: of `side`, or of the difference `side` - `minus`. No values
// outside the picture. Reads them like pixel_grid().
struct PixelValues {
    std::vector<ComponentText> texts;
    std::array<double, 3> rgb{};  // 0 to 1, as coded; meaningless for a difference
};
PixelValues values_at(const ShownFrame& shown, Side side, std::optional<Side> minus, Point coded);

// A sample as text: integers unchanged, floats with four decimals. Differences have a sign, unless
// they are 0.
std::string sample_text(const FrameInfo& info, float value);
std::string difference_text(const FrameInfo& info, float value);

}  // namespace weft
