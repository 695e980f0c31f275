// A clip whose pictures encode their number, and the functions that read it from a screenshot.
#pragma once

#include <filesystem>
#include <optional>

#include "tests/gui/screen.h"

namespace weft::gui {

// 160×100, 4:4:4, 30/s. Each picture has a border of 4 samples in magenta, which nothing else in
// the window has; below it, in the upper half, eight bars that are the bits of its number, the
// lowest on the left; in the lower half kDark left of the middle and kBright right of it. Written
// uncompressed (y4m), without any library.
inline constexpr int kClipWidth = 160;
inline constexpr int kClipHeight = 100;
inline constexpr int kClipBorder = 4;
inline constexpr int kDark = 60;     // luma of 16 to 235; 51 on the screen
inline constexpr int kBright = 180;  // 191 on the screen
void write_numbered_clip(const std::filesystem::path& path, int frames);

// The gray level at which a viewer shows that luma.
int screen_level(int luma);

// The place of the unfiltered clip, by its border; empty unless it is entirely visible.
std::optional<PixelRect> find_clip(const Screenshot& shot);

// The pixel that shows a place of the clip, 0 to 1 across and down, where the clip is at `place`.
Rgb clip_pixel(const Screenshot& shot, const PixelRect& place, double x, double y);

// The number of the picture that is shown at `place`.
int frame_number(const Screenshot& shot, const PixelRect& place);

}  // namespace weft::gui
