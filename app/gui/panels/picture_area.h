// The middle of the window: the picture and its mouse actions.
#pragma once

namespace weft {

struct Gui;

// Ctrl and the wheel zoom around the cursor, dragging pans, moving sets the wipe, a double click
// toggles full screen.
void handle_picture_mouse(Gui& gui);

// Draws with ImGui over the picture: the wipe's line, sample values, the empty state, a spinner.
void draw_over_picture(Gui& gui);

// Draws the picture itself with OpenGL, below all ImGui windows.
void render_picture(Gui& gui);

}  // namespace weft
