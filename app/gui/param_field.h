// One parameter of a step as a row of a table: its name and the widget that its kind asks for.
#pragma once

#include <string>
#include <string_view>

#include "app/viewer/stack_editor.h"

namespace weft {

// What the fields remember between two redraws: a single one is edited at a time.
struct ParamFieldState {
    // The field that text is typed into, and the text, which may be none that the filter takes.
    StepId typed_step = 0;
    std::string_view typed_param;
    std::string typed;
    // The value that was refused last, and why.
    StepId refused_step = 0;
    std::string_view refused_param;
    std::string problem;
    // The field whose slider is not to follow the mouse any more until the button is released: it
    // was reset, or Escape took the drag back.
    StepId frozen_step = 0;
    std::string_view frozen_param;
};

// Inside a table of two columns. Sliders and fields write to the editor while they are moved, as
// one step of undo; a double click on the name or the slider resets; Escape takes a drag back.
// Steps may be another object after the call.
void draw_param_field(ParamFieldState& state, StackEditor& editor, const EditedStep& step,
                      const ParamDef& param);

}  // namespace weft
