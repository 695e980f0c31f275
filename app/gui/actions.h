// What the user can do by key or menu: one list, which the keys, the menus, the help over the
// picture and the manual iterate.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "app/gui/window.h"

namespace weft {

struct Gui;

enum class ActionGroup : std::uint8_t { file, playback, stack, view, panel, help };

struct Action {
    ActionGroup group = ActionGroup::file;
    std::string_view name;                      // "Play or pause"
    std::array<std::string_view, 3> keys = {};  // as KeyEvent names them
    void (*run)(Gui&) = nullptr;
    void (*release)(Gui&) = nullptr;  // of actions that last while their key is held
    bool repeats = false;             // while the key is held
};

std::span<const Action> actions();

// The menu's title: "File".
std::string_view title(ActionGroup group);

// Runs what a key is bound to; false if that is nothing.
bool run_key(Gui& gui, const KeyEvent& event);
// Ends actions whose key this was.
void release_key(Gui& gui, int scancode);

}  // namespace weft
