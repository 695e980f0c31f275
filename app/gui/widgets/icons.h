// The icons of buttons, drawn in one weight at every scale. Call these between ImGui's NewFrame and
// Render.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

enum class Icon : std::uint8_t {
    play,
    pause,
    back,
    forward,
    previous,
    next,
    sound,
    muted,
    handle,  // to drag by
    menu,
    close,
    undo,
    redo,
    up,
    down,
};

// A square button with an icon, as high as a field; true if it was pressed. `id` is unique in its
// ImGui window or ID, and the tooltip names the action.
bool icon_button(const char* id, Icon icon, std::string_view help);
// The same without a frame, for rows of icons.
bool bare_icon_button(const char* id, Icon icon, std::string_view help);

// A button that opens a list, with a triangle after its words.
bool list_button(const char* words);
float width_of_list_button(const char* words);

}  // namespace weft
