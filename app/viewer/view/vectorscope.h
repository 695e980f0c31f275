// The vectorscope: how often each pair of chroma values occurs, and the marks to read it by.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/viewer/view/frame_stats.h"
#include "filters/frame_info.h"
#include "kernels/image_view.h"

namespace weft {

// kLevels rows of kLevels bins: the lowest Cr first, and in each row the lowest Cb. A bin is one
// step of 8 bits; deeper samples lose their low bits.
struct Vectorscope {
    std::vector<std::uint32_t> counts;

    std::uint32_t at(int cb, int cr) const {
        return counts[static_cast<std::size_t>(cr) * kLevels + static_cast<std::size_t>(cb)];
    }
};

// Takes host planes. RGB is converted to full-range chroma by luma_matrix(info). Examines every
// row_step-th row of the planes that hold the colour. nullopt for gray pictures. Pure; skips NaN.
std::optional<Vectorscope> vectorscope(std::span<const ImageView> planes, const FrameInfo& info,
                                       int row_step);

// log_brightness() of the counts, in the same order; the eight neighbours of a bin have at least
// half of its brightness. One flat colour is one bin, about a pixel on the screen, and must be
// visible.
std::vector<std::uint8_t> dot_brightness(const Vectorscope& scope);

// A position in bins, not rounded. Neutral is 128, 128.
struct ChromaPoint {
    double cb = 0, cr = 0;
};

struct VectorscopeTarget {
    char letter = 0;
    ChromaPoint at;
};

struct Graticule {
    std::array<VectorscopeTarget, 6> targets;  // R, Y, G, C, B, M of 75 % colour bars
    // The end of a line from neutral: NTSC's +I axis, (B - Y, R - Y) = (-1.106, 0.956), near which
    // skin of all shades is.
    ChromaPoint skin;
};

// For the picture's matrix and range; RGB as vectorscope() converts it.
Graticule graticule(const FrameInfo& info);

}  // namespace weft
