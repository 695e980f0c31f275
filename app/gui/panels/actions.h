// Actions for the rows of the list of keys.
#pragma once

#include <span>
#include <string>

#include "app/viewer/shell/key_list.h"

namespace weft {

struct Gui;
class KeyBindings;

// A key, named as in mpv and desktop programs: "Space", "Left", "Shift+Left", "Ctrl+O", "F1"; keys
// that type a character by that character: ".", "[", "?", "S".
struct KeyEvent {
    std::string name = {};
    int scancode = 0;
    bool repeated = false;
};

struct Action : KeyRow {
    void (*run)(Gui&) = nullptr;
    void (*release)(Gui&) = nullptr;       // for actions that last while their key is held
    bool (*ticked)(const Gui&) = nullptr;  // for actions that switch something on and off
    bool (*usable)(const Gui&) = nullptr;  // null: always; menus show the others in gray
    bool line_above = false;               // in its menu
};

// One per row of kKeyRows, in its order.
std::span<const Action> actions();

// Its keys, for help: "Space or p"; and the one that the menu shows. "" if it has none.
std::string key_text(const KeyBindings& bindings, const Action& action);
std::string first_key(const KeyBindings& bindings, const Action& action);

// Runs the action of a key; false if it has none. After an action that may have opened a field or a
// list, later events wait for the next redraw.
bool run_key(Gui& gui, const KeyEvent& event);
// Ends the actions that this key held.
void release_key(Gui& gui, int scancode);

}  // namespace weft
