// A matrix as a grid of coloured cells with weights that the mouse drags and the keyboard types.
#pragma once

#include <optional>
#include <string>

#include "app/viewer/edit/matrix_ops.h"

namespace weft {

struct MatrixGridState {
    Cell selected;
    bool typing = false;  // a text field is over the selected cell
    bool typing_starts = false;
    std::optional<Cell> next;  // the cell to type into in the next redraw
    std::string typed;
    double dragged_from = 0;  // the weight at the start of the drag
    bool pressed = false;     // the mouse button, without a drag so far: a click types
    std::string problem;      // with the typed text
};

// The user's edits to the grid in this redraw.
struct MatrixGridInput {
    std::optional<double> value;  // the selected cell's new weight
    bool drag_begins = false;     // until drag_ends, changes are one step of undo
    bool drag_ends = false;
};

// At most `side` wide and high, in screen units; numbers are shown if cells are large enough.
// Dragging up and down changes a weight, a click or Enter types it; then Enter moves downwards and
// Tab to the right. The wheel scrolls the column around the grid. `largest` is the largest
// |weight|.
MatrixGridInput draw_matrix_grid(MatrixGridState& state, const Matrix& matrix, double largest,
                                 float side);

}  // namespace weft
