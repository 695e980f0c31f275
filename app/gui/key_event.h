// Keys by the names that the table of actions has.
#pragma once

#include <string>

#include "app/viewer/input_queue.h"

namespace weft {

// Keys come as mpv and desktop programs name them: "Space", "Left", "Shift+Left", "Ctrl+O", "F1",
// and for what types a character the character itself: ".", "[", "?", "S".
struct KeyEvent {
    std::string name = {};
    int scancode = 0;
    bool repeated = false;
};

// Of a key that is pressed or repeats, or of a character. The name is empty where another event
// tells it: a key that types a character has none, but with Ctrl or Alt; nor has a typed space.
KeyEvent key_event(const InputEvent& event);

}  // namespace weft
