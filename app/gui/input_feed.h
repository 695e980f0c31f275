// From the window's queue to the actions and to ImGui.
#pragma once

namespace weft {

struct Gui;

// Hands on what the next redraw can show. Once a redraw, before begin_ui_frame(). Returns whether
// there was anything.
bool feed_input(Gui& gui);

// The mouse for ImGui as the events handed on have left it: between the back end's frame and
// ImGui's own.
void place_mouse(const Gui& gui);

}  // namespace weft
