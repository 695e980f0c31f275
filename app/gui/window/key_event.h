// Keys by their names in the table of actions.
#pragma once

#include <string>

#include "app/viewer/shell/input_queue.h"

namespace weft {

// Keys are named as in mpv and desktop programs: "Space", "Left", "Shift+Left", "Ctrl+O", "F1", and
// keys that type a character by that character: ".", "[", "?", "S".
struct KeyEvent {
    std::string name = {};
    int scancode = 0;
    bool repeated = false;
};

// For a key that is pressed or repeats, or for a character. The name is empty if another event has
// it: keys that type a character have no name without Ctrl or Alt, and a typed space has none.
KeyEvent key_event(const InputEvent& event);

}  // namespace weft
