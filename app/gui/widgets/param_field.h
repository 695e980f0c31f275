// One parameter of a step as a row of a table: its name and the widget for its kind.
#pragma once

#include <string>
#include <string_view>

#include "app/viewer/edit/stack_editor.h"

namespace weft {

// State of the fields between redraws: only one is edited at a time.
struct ParamFieldState {
    // The field with the keyboard, and its text, which the filter may reject.
    StepId typed_step = 0;
    std::string_view typed_param;
    std::string typed;
    // The last value that was rejected, and why.
    StepId refused_step = 0;
    std::string_view refused_param;
    std::string problem;
    // The field whose slider ignores the mouse until the button is released, because it was reset
    // or Escape reverted the drag.
    StepId frozen_step = 0;
    std::string_view frozen_param;
};

// Call it inside a table of two columns. Sliders and fields write to the editor while they are
// moved, as one step of undo; a double click on the name or the slider resets; Escape reverts a
// drag. The call may replace the steps' objects.
void draw_param_field(ParamFieldState& state, StackEditor& editor, const EditedStep& step,
                      const ParamDef& param);

}  // namespace weft
