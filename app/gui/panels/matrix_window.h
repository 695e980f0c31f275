// The editor of a convolve step's matrices: grid, tools, and frequency response.
#pragma once

#include <optional>
#include <string>

#include "app/gui/widgets/matrix_grid.h"
#include "app/gui/widgets/response_plot.h"
#include "app/viewer/edit/matrix_edit.h"
#include "app/viewer/edit/matrix_ops.h"
#include "app/viewer/edit/stack_editor.h"

namespace weft {

// Analysis of a matrix, kept until the matrix changes.
struct MatrixAnalysis {
    Matrix matrix;
    double scale = 0;
    MatrixFacts facts;
    ResponsePlot response;
};

struct MatrixWindowState {
    StepId step = 0;  // the step whose matrices are edited; 0: the window is closed
    std::size_t slot = 0;
    Symmetry symmetry = Symmetry::none;
    MatrixGridState grid;
    double factor = 2;    // for the button ×
    std::string problem;  // with the last paste
    std::optional<MatrixAnalysis> analysis;
};

// Draws nothing while it is closed; closes itself with its step. Changes go to the editor
// immediately.
void draw_matrix_window(MatrixWindowState& state, StackEditor& editor);

}  // namespace weft
