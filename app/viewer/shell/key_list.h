// The window's actions and their built-in keys: one list, keys.def, for key bindings, menus, the
// help overlay, `weft list keys` and completion. Users change the keys: see key_bindings.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft {

enum class ActionGroup : std::uint8_t { file, playback, stack, view, panel, help };

struct KeyRow {
    ActionGroup group = ActionGroup::file;
    std::string_view name;     // "Play or pause": shown in menus
    std::string_view command;  // "cycle pause": in the user's file of keys; mpv's where it has one
    // "Space", "Left", "Shift+Left", "Ctrl+O", "F1"; keys that type a character are that character.
    std::array<std::string_view, 3> keys = {};
    bool repeats = false;  // while the key is held
};

// The menu's title: "File".
constexpr std::string_view title(ActionGroup group) {
    switch (group) {
        case ActionGroup::file:
            return "File";
        case ActionGroup::playback:
            return "Playback";
        case ActionGroup::stack:
            return "Filters";
        case ActionGroup::view:
            return "View";
        case ActionGroup::panel:
            return "Panels";
        case ActionGroup::help:
            return "Help";
    }
    return "";
}

// Sorted by group.
inline constexpr std::array kKeyRows = {
#define WEFT_KEY(group, name, command, keys, action, ...) \
    KeyRow{ActionGroup::group, name, command, keys, false},
#define WEFT_REPEATED_KEY(group, name, command, keys, action, ...) \
    KeyRow{ActionGroup::group, name, command, keys, true},
#define WEFT_STEP_KEY(group, name, command, keys, action, release, ...) \
    KeyRow{ActionGroup::group, name, command, keys, true},
#define WEFT_HELD_KEY(group, name, command, keys, action, release, ...) \
    KeyRow{ActionGroup::group, name, command, keys, false},
#include "app/viewer/shell/keys.def"
};

}  // namespace weft
