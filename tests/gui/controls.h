// The window's controls, found on a screenshot by their colour in the dark theme: tests do not know
// where a panel puts them.
#pragma once

#include <vector>

#include "tests/gui/screen.h"

namespace weft::gui {

inline constexpr Rgb kButton{0x28, 0x4A, 0x74};  // while the mouse is elsewhere
inline constexpr Rgb kSliderGrab{0x3D, 0x85, 0xE0};
inline constexpr Rgb kCachedTime{0x32, 0x64, 0xA5};  // in the timeline

// Boxes around the connected areas of that colour inside `within`, row by row from the top. Allows
// for a GPU's rounding when it blends; areas too small for a control are left out.
std::vector<PixelRect> areas_of(const Screenshot& shot, const PixelRect& within, const Rgb& colour);

// The areas in the same row as the first, from the left.
std::vector<PixelRect> first_row(const std::vector<PixelRect>& areas);

}  // namespace weft::gui
