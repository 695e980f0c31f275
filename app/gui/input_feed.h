// Passes input from the window's queue to the actions and to ImGui.
#pragma once

#include <chrono>
#include <optional>

namespace weft {

struct Gui;

// Passes on the events that the next redraw can show. Call it once per redraw, before
// begin_ui_frame(). Returns when the first of them came, nullopt if there were none.
std::optional<std::chrono::steady_clock::time_point> feed_input(Gui& gui);

// Sets ImGui's mouse to its state after the events passed on: call it between the back end's frame
// and ImGui's own.
void place_mouse(const Gui& gui);

// Lets Enter press the marked entry of an open menu, as Space does. Call it with place_mouse().
void let_enter_press();

}  // namespace weft
