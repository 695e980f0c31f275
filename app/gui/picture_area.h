// The middle of the window: the picture, and what the mouse does to it.
#pragma once

namespace weft {

struct Gui;

// Mouse: wheel with Ctrl zooms on the cursor, dragging pans, moving sets the wipe, a double click
// fills the screen.
void handle_picture_mouse(Gui& gui);

// What ImGui draws over the picture: the wipe's line, sample values, the empty state, a spinner.
void draw_over_picture(Gui& gui);

// The picture itself, with OpenGL, below everything of ImGui.
void render_picture(Gui& gui);

}  // namespace weft
