// Converts a frame's samples to RGB for the screen.
#pragma once

#include <array>

#include "filters/frame_info.h"

namespace weft {

// rgb = matrix · (c - offset), with c the components y, u, v or r, g, b scaled to 0..1 by the
// largest value of their depth; `matrix` is row-major. RGB frames have the identity. ITU-R BT.601,
// BT.709 and BT.2020, limited or full range; gray frames have u = v = offset.
struct ColourTransform {
    std::array<double, 9> matrix;
    std::array<double, 3> offset;
};

ColourTransform to_rgb(const FrameInfo& info);

}  // namespace weft
