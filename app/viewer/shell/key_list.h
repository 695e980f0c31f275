// The window's actions and their keys: one list, keys.def, for key bindings, menus, the help
// overlay, `weft list keys` and completion.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

enum class ActionGroup : std::uint8_t { file, playback, stack, view, panel, help };

struct KeyRow {
    ActionGroup group = ActionGroup::file;
    std::string_view name;  // "Play or pause": shown in menus
    // "Space", "Left", "Shift+Left", "Ctrl+O", "F1"; keys that type a character are that character.
    std::array<std::string_view, 3> keys = {};
    bool repeats = false;  // while the key is held
};

// The menu's title: "File".
std::string_view title(ActionGroup group);

// "Space or p".
std::string keys_text(const KeyRow& row);

// Sorted by group.
inline constexpr std::array kKeyRows = {
#define WEFT_KEY(group, name, keys, action) KeyRow{ActionGroup::group, name, keys, false},
#define WEFT_REPEATED_KEY(group, name, keys, action) KeyRow{ActionGroup::group, name, keys, true},
#define WEFT_HELD_KEY(group, name, keys, action, release) \
    KeyRow{ActionGroup::group, name, keys, false},
#include "app/viewer/shell/keys.def"
};

}  // namespace weft
