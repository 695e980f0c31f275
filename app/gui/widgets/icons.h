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
    loop,  // without its ends, then with A, then with B too
    loop_from_a,
    loop_from_a_to_b,
};

// A square button with an icon, as high as a field; true if it was pressed. `id` is unique in its
// ImGui window or ID, and the tooltip names the action. A switch that is on is ticked.
bool icon_button(const char* id, Icon icon, std::string_view help, bool ticked = false);
// The same without a frame, for rows of icons.
bool bare_icon_button(const char* id, Icon icon, std::string_view help);

// A button that opens a list, with a triangle after its words.
bool list_button(const char* words);
float width_of_list_button(const char* words);

}  // namespace weft
