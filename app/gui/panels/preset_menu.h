// The list of presets that "Presets" opens: load, save, rename, remove.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/edit/preset_store.h"
#include "app/viewer/edit/stack_editor.h"

namespace weft {

struct PresetMenuState {
    std::vector<StoredPreset> presets;  // when the list was opened or changed
    std::string name;                   // for the preset to save
    std::string description;
    std::string renamed;  // the preset that is being renamed; "": none
    std::string new_name;
    std::string problem;
    bool open = false;  // set by a key to open the list
};

// Draws the button and its popup. Loading replaces the stack, as one step of undo.
void draw_preset_menu(PresetMenuState& state, StackEditor& editor, const PresetStore& store);

}  // namespace weft
