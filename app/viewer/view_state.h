// What the user chose to see: plain values that panels and keys change and the renderer reads.
#pragma once

#include <cstdint>

#include "app/viewer/view_geometry.h"

namespace weft {

enum class CompareMode : std::uint8_t { single, wipe, side_by_side, difference };

// Which picture of a ShownFrame: 0 is the original, k the result of stack k - 1.
using Side = std::size_t;

struct ViewState {
    CompareMode mode = CompareMode::single;
    Side left = 0;   // of wipe and side by side, and what the difference is taken from
    Side right = 1;  // the picture of `single`
    double wipe =
        0.5;  // where the right side begins, of the picture's width or height on the screen
    WipeOrientation wipe_line = WipeOrientation::vertical;
    bool held_original = false;  // while a key is held
    ViewZoom zoom;
    double gain = 4;            // of the difference
    bool false_colour = false;  // of the difference
    bool pixel_grid = true;     // with values, at high zoom
    bool fullscreen = false;
    bool inspecting = false;

    Side shown_alone() const { return held_original ? 0 : right; }
};

// The next of single, wipe, side by side, difference.
CompareMode next_mode(CompareMode mode);

}  // namespace weft
