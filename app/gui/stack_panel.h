// The panel that edits a stack of filters.
#pragma once

#include <string>
#include <vector>

#include "app/gui/filter_menu.h"
#include "app/gui/matrix_window.h"
#include "app/gui/param_field.h"
#include "app/gui/preset_menu.h"
#include "app/viewer/command_text.h"
#include "app/viewer/kernel_choice.h"
#include "app/viewer/preset_store.h"
#include "app/viewer/stack_editor.h"

namespace weft {

// What the panel remembers between two redraws.
struct StackPanelState {
    FilterMenuState filter_menu;
    PresetMenuState preset_menu;
    ParamFieldState fields;
    MatrixWindowState matrix;
    StepId unfold = 0;    // a step that was just added: shown with its parameters
    std::string note;     // a sentence for a toast: "copied"; taken and emptied by the caller
    std::string problem;  // of a text that was pasted
};

// What the panel only reads; files and kernels are put into the command that is copied.
struct StackPanelSources {
    const PresetStore& presets;
    const KernelChoice& kernels;
    CommandFiles files;
};

// Draws into the current ImGui window. The window of `state.matrix` is drawn by
// draw_matrix_window(), whether this panel is to be seen or not.
void draw_stack_panel(StackPanelState& state, StackEditor& editor,
                      const StackPanelSources& sources);

}  // namespace weft
