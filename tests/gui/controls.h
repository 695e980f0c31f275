// The window's controls, found on a screenshot by their colour in the dark theme: tests do not know
// where a panel puts them.
#pragma once

#include <vector>

#include "tests/gui/screen.h"

namespace weft::gui {

inline constexpr Rgb kButton{0x28, 0x4A, 0x74};  // while the mouse is elsewhere
inline constexpr Rgb kSliderGrab{0x3D, 0x85, 0xE0};
inline constexpr Rgb kCachedTime{0x32, 0x64, 0xA5};  // of the timeline

// The connected areas of that colour, but for how a GPU rounds what it blends, inside `within` by
// the boxes around them, but those too small for a control, row by row from the top.
std::vector<PixelRect> areas_of(const Screenshot& shot, const PixelRect& within, const Rgb& colour);

// Those that stand in a row with the first.
std::vector<PixelRect> first_row(const std::vector<PixelRect>& areas);

}  // namespace weft::gui
