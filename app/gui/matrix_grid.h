// A matrix as a grid of coloured cells that can be dragged, turned by the wheel and typed into.
#pragma once

#include <optional>
#include <string>

#include "app/viewer/matrix_ops.h"

namespace weft {

struct MatrixGridState {
    Cell selected;
    bool typing = false;  // a field lies over the selected cell
    bool typing_starts = false;
    std::optional<Cell> next;  // where typing goes on in the next redraw
    std::string typed;
    double dragged_from = 0;  // the weight when the drag began
    std::string problem;      // of what was typed
};

// What the user did to the grid in this redraw.
struct MatrixGridInput {
    std::optional<double> value;  // the selected cell's new weight
    bool drag_begins = false;     // from here to drag_ends is one step of undo
    bool drag_ends = false;
};

// At most `side` wide and high, in screen units; numbers are shown where cells are large enough.
// Dragging up and down changes a weight, the wheel by one step, a double click or Enter types it;
// then Enter goes on downwards and Tab to the right. `largest` is the largest |weight|.
MatrixGridInput draw_matrix_grid(MatrixGridState& state, const Matrix& matrix, double largest,
                                 float side);

}  // namespace weft
