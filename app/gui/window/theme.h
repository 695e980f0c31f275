// Fonts and colours of the user interface.
#pragma once

namespace weft {

// Uses the scale of the display, where 1 is 96 dpi. The font is part of the program. Call it
// between two frames; then recreate the fonts' texture with the OpenGL back end.
void apply_theme(double scale, bool dark);

}  // namespace weft
