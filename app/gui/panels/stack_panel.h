// The panel that edits a stack of filters.
#pragma once

#include <string>
#include <vector>

#include "app/gui/panels/filter_menu.h"
#include "app/gui/panels/matrix_window.h"
#include "app/gui/panels/preset_menu.h"
#include "app/gui/widgets/param_field.h"
#include "app/viewer/edit/command_text.h"
#include "app/viewer/edit/preset_store.h"
#include "app/viewer/edit/stack_editor.h"

namespace weft {

// State of the panel between redraws.
struct StackPanelState {
    FilterMenuState filter_menu;
    PresetMenuState preset_menu;
    ParamFieldState fields;
    MatrixWindowState matrix;
    StepId unfold = 0;    // a newly added step: shown with its parameters
    std::string note;     // a sentence for a toast: "copied"; taken and emptied by the caller
    std::string problem;  // with the pasted text
};

// The panel's inputs; files become part of the copied command.
struct StackPanelSources {
    const PresetStore& presets;
    CommandFiles files;
};

// Draws into the current ImGui window. draw_matrix_window() draws the window of `state.matrix`,
// whether this panel is visible or not.
void draw_stack_panel(StackPanelState& state, StackEditor& editor,
                      const StackPanelSources& sources);

}  // namespace weft
