// The matrix between a frame's samples and RGB: for the screen, and for the marks of scopes.
#pragma once

#include <array>

#include "filters/frame_info.h"

namespace weft {

// The shares of red and blue in luma; green has the rest.
struct LumaShares {
    double r = 0, b = 0;
};

// By luma_matrix(info): the tag's or the default.
LumaShares luma_shares(const FrameInfo& info);
const char* name_of_luma(const FrameInfo& info);  // "BT.709"

// rgb = matrix · (c - offset), with c the components y, u, v or r, g, b scaled to 0..1 by the
// largest value of their depth; `matrix` is row-major. RGB frames have the identity. ITU-R BT.601,
// BT.709 and BT.2020, limited or full range; gray frames have u = v = offset.
struct ColourTransform {
    std::array<double, 9> matrix;
    std::array<double, 3> offset;
};

ColourTransform to_rgb(const FrameInfo& info);

}  // namespace weft
