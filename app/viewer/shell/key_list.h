// The window's actions and their keys: a single list used for key bindings, menus, the help
// overlay, `weft list keys` and the manual.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

enum class ActionGroup : std::uint8_t { file, playback, stack, view, panel, help };

struct KeyRow {
    ActionGroup group = ActionGroup::file;
    std::string_view name;  // "Play or pause": shown in menus, and used to bind the action
    // "Space", "Left", "Shift+Left", "Ctrl+O", "F1"; keys that type a character are that character.
    std::array<std::string_view, 3> keys = {};
    bool repeats = false;  // while the key is held
};

// The menu's title: "File".
std::string_view title(ActionGroup group);

// "Space or p".
std::string keys_text(const KeyRow& row);

// Sorted by group. Uses mpv's keys where mpv has them.
inline constexpr auto kKeyRows = [] {
    using enum ActionGroup;
    return std::array{
        KeyRow{file, "Open", {"Ctrl+O"}},
        KeyRow{file, "Export", {"Ctrl+Shift+E"}},
        KeyRow{file, "Save the filtered picture", {"s"}},
        KeyRow{file, "Save the original picture", {"S"}},
        KeyRow{file, "Save a picture of the window", {"Ctrl+Shift+S"}},
        KeyRow{file, "Next file", {">"}},
        KeyRow{file, "Previous file", {"<"}},
        KeyRow{file, "Quit", {"q", "Ctrl+Q"}},
        KeyRow{file, "Quit and resume here next time", {"Q"}},

        KeyRow{playback, "Play or pause", {"Space", "p"}},
        KeyRow{playback, "Next frame", {"."}, true},
        KeyRow{playback, "Previous frame", {","}, true},
        KeyRow{playback, "5 s forward", {"Right", "Shift+Up"}, true},
        KeyRow{playback, "5 s back", {"Left", "Shift+Down"}, true},
        KeyRow{playback, "1 s forward", {"Shift+Right"}, true},
        KeyRow{playback, "1 s back", {"Shift+Left"}, true},
        KeyRow{playback, "1 min forward", {"Up"}, true},
        KeyRow{playback, "1 min back", {"Down"}, true},
        KeyRow{playback, "10 min forward", {"Shift+PageUp"}},
        KeyRow{playback, "10 min back", {"Shift+PageDown"}},
        KeyRow{playback, "Next chapter", {"PageUp"}},
        KeyRow{playback, "Previous chapter", {"PageDown"}},
        KeyRow{playback, "Loop: set A, set B, clear", {"l"}},
        KeyRow{playback, "To the beginning", {"Home"}},
        KeyRow{playback, "Slower by a tenth", {"["}, true},
        KeyRow{playback, "Faster by a tenth", {"]"}, true},
        KeyRow{playback, "Half speed", {"{"}},
        KeyRow{playback, "Double speed", {"}"}},
        KeyRow{playback, "Normal speed", {"Backspace"}},
        KeyRow{playback, "Mute", {"m"}},
        KeyRow{playback, "Louder", {"0", "*"}, true},
        KeyRow{playback, "Quieter", {"9", "/"}, true},

        KeyRow{stack, "Undo", {"Ctrl+Z"}, true},
        KeyRow{stack, "Redo", {"Ctrl+Shift+Z", "Ctrl+Y"}, true},
        KeyRow{stack, "Add a filter", {"Ctrl+F"}},
        KeyRow{stack, "Save or load a preset", {"Ctrl+S"}},
        KeyRow{stack, "Show the original while held", {"e"}},

        KeyRow{view, "Wipe between original and filtered", {"w"}},
        KeyRow{view, "Turn the wipe's line", {"t"}},
        KeyRow{view, "Side by side", {"W"}},
        KeyRow{view, "Difference", {"d"}},
        KeyRow{view, "Difference in false colour", {"D"}},
        KeyRow{view, "Swap the sides", {"x"}},
        KeyRow{view, "Zoom in", {"+", "Alt++"}, true},
        KeyRow{view, "Zoom out", {"-", "Alt+-"}, true},
        KeyRow{view, "One to one", {"1"}},
        KeyRow{view, "Fit the window", {"Alt+Backspace", "2"}},
        KeyRow{view, "Pan left", {"Alt+Left"}, true},
        KeyRow{view, "Pan right", {"Alt+Right"}, true},
        KeyRow{view, "Pan up", {"Alt+Up"}, true},
        KeyRow{view, "Pan down", {"Alt+Down"}, true},
        KeyRow{view, "Full screen", {"f", "F11"}},
        KeyRow{view, "Larger text", {"Ctrl++", "Ctrl+="}},
        KeyRow{view, "Smaller text", {"Ctrl+-"}},
        KeyRow{view, "Dark or light", {"Ctrl+L"}},

        KeyRow{panel, "Side column", {"F2"}},
        KeyRow{panel, "Filters", {"F3"}},
        KeyRow{panel, "View", {"F6"}},
        KeyRow{panel, "Inspector", {"F4"}},
        KeyRow{panel, "Scopes", {"F7"}},
        KeyRow{panel, "Kernels", {"F5"}},
        KeyRow{panel, "Statistics over the picture", {"i", "I"}},

        KeyRow{help, "Keys", {"?", "F1"}},
        KeyRow{help, "Close the open panel or dialog", {"Escape"}},
    };
}();

}  // namespace weft
