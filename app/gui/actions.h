// What the rows of the list of keys do.
#pragma once

#include <span>

#include "app/gui/key_event.h"
#include "app/viewer/key_list.h"

namespace weft {

struct Gui;

struct Action : KeyRow {
    void (*run)(Gui&) = nullptr;
    void (*release)(Gui&) = nullptr;  // of actions that last while their key is held
};

// The rows of the list of keys, in its order.
std::span<const Action> actions();

// Runs what a key is bound to; false if that is nothing. What may have opened a field or a list
// lets the next events wait for it.
bool run_key(Gui& gui, const KeyEvent& event);
// Ends actions whose key this was.
void release_key(Gui& gui, int scancode);

}  // namespace weft
