// ImGui's life in the window: set up, one frame after the other, torn down.
#pragma once

#include "app/gui/window.h"

namespace weft {

struct Gui;

// While this lives ImGui draws into the window. Its settings are kept by the caller, not by ImGui.
class UiSession {
 public:
    explicit UiSession(Window& window);
    ~UiSession();
    UiSession(const UiSession&) = delete;
    UiSession& operator=(const UiSession&) = delete;
};

// Starts a frame: follows the display's scale, lays out the window's parts.
void begin_ui_frame(Gui& gui);

// Draws the picture and, over it, what ImGui was told since begin_ui_frame().
void render_ui_frame(Gui& gui);

}  // namespace weft
