// One step of a stack: its switch, its name, its handle for dragging, and its parameters.
#pragma once

#include "app/gui/panels/matrix_window.h"
#include "app/gui/widgets/param_field.h"
#include "app/viewer/edit/stack_editor.h"

namespace weft {

struct StepCard {
    ParamFieldState& fields;
    MatrixWindowState& matrix;
    StackEditor& editor;
    bool unfold = false;  // show the parameters from now on
};

// Draws the step into the current ImGui window; nothing if it is gone.
void draw_step_card(const StepCard& card, StepId id);

}  // namespace weft
