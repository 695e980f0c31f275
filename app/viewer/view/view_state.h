// The user's view choices: plain values changed by panels and keys and read by the renderer.
#pragma once

#include <cstdint>

#include "app/viewer/view/view_geometry.h"

namespace weft {

enum class CompareMode : std::uint8_t {
    single,
    wipe,
    side_by_side,
    stacked,  // one above the other
    difference
};

// A picture of a ShownFrame: 0 is the original, k the result of stack k - 1.
using Side = std::size_t;

struct ViewState {
    CompareMode mode = CompareMode::single;
    bool mode_chosen = false;  // by the user: filters do not change it any more
    Side left = 0;             // or upper; the reference for the difference
    Side right = 1;            // also the picture of `single`
    double wipe = 0.5;         // start of the right side, 0..1 of the displayed width or height
    WipeOrientation wipe_line = WipeOrientation::vertical;
    bool held_original = false;  // while a key is held
    ViewZoom zoom;
    double gain = 4;            // for the difference
    bool false_colour = false;  // for the difference
    bool pixel_grid = true;     // with values, at high zoom
    bool fullscreen = false;

    void choose(CompareMode wanted) {
        mode = wanted;
        mode_chosen = true;
    }
    // The first filter switches the wipe on, and the removal of the last one switches it off.
    void follow_filters(bool any) {
        if (!mode_chosen) mode = any ? CompareMode::wipe : CompareMode::single;
    }
    // The side to save as filtered, also while the sides are swapped.
    Side filtered() const { return right != 0 ? right : left != 0 ? left : 1; }
};

}  // namespace weft
