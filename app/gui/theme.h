// Fonts and colours of the user interface.
#pragma once

namespace weft {

// For a display of that scale, where 1 is 96 dots an inch. The font is part of the program. Call
// between two frames; the fonts' texture is made anew by the OpenGL back end.
void apply_theme(double scale, bool dark);

}  // namespace weft
