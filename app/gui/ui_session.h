// The lifetime of ImGui in the window: setup, frames, shutdown.
#pragma once

#include "app/gui/window/window.h"

namespace weft {

struct Gui;

// ImGui draws into the window during this object's lifetime. The caller keeps its settings.
class UiSession {
 public:
    explicit UiSession(Window& window);
    ~UiSession();
    UiSession(const UiSession&) = delete;
    UiSession& operator=(const UiSession&) = delete;
};

// Starts a frame: follows the display's scale, lays out the window's parts.
void begin_ui_frame(Gui& gui);

// Draws the picture and, over it, ImGui's windows since begin_ui_frame().
void render_ui_frame(Gui& gui);

}  // namespace weft
