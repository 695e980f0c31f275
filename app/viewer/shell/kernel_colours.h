// A colour for each kernel of a race, in tables and plots.
#pragma once

#include <cstddef>

#include "app/viewer/shell/palette.h"

namespace weft {

// Hues of consecutive kernels are a golden section apart. On every ground of a table's row and of a
// plot the contrast is at least 3, as the Web Content Accessibility Guidelines ask of graphics.
Colour kernel_colour(std::size_t kernel, const Palette& palette);

}  // namespace weft
