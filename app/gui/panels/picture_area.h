// The picture, and what is drawn over it.
#pragma once

#include <string_view>

#include "app/gui/panels/playing.h"
#include "app/gui/picture/picture_renderer.h"
#include "app/gui/window/window.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_state.h"

namespace weft {

// The last position of the mouse over the picture.
struct Pointer {
    bool over_picture = false;
    Point screen;                  // screen units
    Point coded;                   // samples of the coded picture; see DisplayShape
    bool clicked_picture = false;  // by the last click
};

// Ctrl and the wheel zoom around the cursor, dragging pans, moving sets the wipe, a double click
// toggles full screen.
void handle_picture_mouse(Pointer& pointer, ViewState& view, const Playing& playing,
                          const WindowLayout& layout, Window& window);
// Draws with ImGui over the picture: the wipe's line, sample values, labels.
void draw_over_picture(const Playing& playing, const ViewState& view, const StackPair& stacks,
                       const WindowLayout& layout);
// What the picture waits for, with a spinner; "" draws nothing.
void draw_wait_sign(std::string_view awaited, const WindowLayout& layout);
// Labels over a comparison: the sides, the gain, and the scale of the difference.
void draw_compare_labels(const DisplayShape& shape, const ViewState& view, const StackPair& stacks,
                         const WindowLayout& layout);
// Draws the picture itself with OpenGL, below all ImGui windows.
void render_picture(PictureRenderer& renderer, const Playing& playing, const ViewState& view,
                    const Rect& area, const Window& window);

}  // namespace weft
