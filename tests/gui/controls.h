// The window's controls, found on a screenshot by their colour in the dark theme: tests do not know
// where a panel puts them.
#pragma once

#include <vector>

#include "tests/gui/screen.h"

namespace weft::gui {

inline constexpr Rgb kButton{0x3D, 0x3D, 0x46};  // while the mouse is elsewhere
inline constexpr Rgb kPrimaryButton{0x28, 0x4A, 0x74};
inline constexpr Rgb kField{0x2B, 0x2B, 0x31};
inline constexpr Rgb kSliderGrab{0x9A, 0x9A, 0xA8};
inline constexpr Rgb kPlayedTime{0xE4, 0xE4, 0xEC};   // in the timeline
inline constexpr Rgb kEdgeHandle{0x7E, 0x7E, 0x8A};   // of the panels
inline constexpr Rgb kOpenSection{0x43, 0x43, 0x4D};  // the bar of the side column's open one
inline constexpr Rgb kTitleBar{0x30, 0x30, 0x37};     // of the window with the keyboard
inline constexpr Rgb kPopup{0x20, 0x20, 0x24};        // the ground of menus and lists

// Boxes around the connected areas of one of these colours inside `within`, row by row from the
// top. Allows for a GPU's rounding when it blends; areas too small for a control are left out.
std::vector<PixelRect> areas_of(const Screenshot& shot, const PixelRect& within,
                                const std::vector<Rgb>& colours);

// The areas in the same row as the first, from the left.
std::vector<PixelRect> first_row(const std::vector<PixelRect>& areas);

}  // namespace weft::gui
