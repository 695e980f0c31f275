// The editor of a convolve step's matrices, inside its card: grid, tools, and frequency response.
#pragma once

#include <optional>
#include <string>

#include "app/gui/widgets/matrix_grid.h"
#include "app/gui/widgets/response_plot.h"
#include "app/viewer/edit/matrix_edit.h"
#include "app/viewer/edit/matrix_ops.h"
#include "app/viewer/edit/stack_editor.h"
#include "filters/frame_info.h"

namespace weft {

// Analysis of a matrix, kept until the matrix changes.
struct MatrixAnalysis {
    Matrix matrix;
    double scale = 0;
    MatrixFacts facts;
    ResponsePlot response;
};

struct MatrixEditorState {
    StepId step = 0;  // the step whose matrices are edited; 0: the editor is closed
    std::size_t slot = 0;
    Symmetry symmetry = Symmetry::none;
    MatrixGridState grid;
    double factor = 2;    // for the button ×
    std::string problem;  // with the last paste
    std::optional<MatrixAnalysis> analysis;
};

// Draws the open editor into the current ImGui window, as wide as that. Changes go to the editor
// immediately. `frame` is the format of the shown one, or null.
void draw_matrix_editor(MatrixEditorState& state, StackEditor& editor, const FrameInfo* frame);

// Draws the choice of chroma for a step whose matrix has the sum 0, and nothing for others.
void draw_chroma_choice(StackEditor& editor, const EditedStep& step, const FrameInfo* frame);

}  // namespace weft
