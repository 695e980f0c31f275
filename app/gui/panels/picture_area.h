// The picture and the marks that are drawn over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/gui/panels/playing.h"
#include "app/gui/picture/picture_renderer.h"
#include "app/gui/window/window.h"
#include "app/viewer/edit/region_edit.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_state.h"

namespace weft {

// The action of a button that was pressed on the picture, until it is released.
enum class MouseDrag : std::uint8_t { none, pan, wipe, box, region };

// The last position of the mouse over the picture.
struct Pointer {
    bool over_picture = false;
    Point screen;                  // screen units
    Point coded;                   // samples of the coded picture; see DisplayShape
    bool clicked_picture = false;  // by the last click
    MouseDrag drag = MouseDrag::none;
    Point pressed;  // where the drag began, in screen units
};

// The regions of the edited stack, which the mouse edits while they are shown.
struct RegionTool {
    RegionEdit& edit;
    StackEditor& editor;
    bool shown = true;
};

// The wheel zooms around the cursor. Dragging edits a region or moves the line of a wipe where
// these are grabbed, zooms to a box with Ctrl, and pans otherwise; the right and the middle button
// always pan. A double click outside of them toggles full screen.
struct PictureMouse {
    ViewState& view;
    const Playing& playing;
    const WindowLayout& layout;
    RegionTool regions;
    Window& window;
};
void handle_picture_mouse(Pointer& pointer, const PictureMouse& mouse);
// The regions' outlines with the handles of the selected one, whose size is shown while it is
// dragged, on every shown picture (picture_regions.cpp).
void draw_regions(const RegionTool& regions, const DisplayShape& shape, const ViewState& view,
                  const WindowLayout& layout);
// The colour of a region, as ImGui packs colours: white, or one of several for several regions.
std::uint32_t region_colour(std::size_t index, std::size_t count);
// From the middle of a handle to where the mouse grabs it.
double region_reach(const WindowLayout& layout);
// Draws the wipe's line, sample values and labels over the picture with ImGui.
void draw_over_picture(const Playing& playing, const ViewState& view, const StackPair& stacks,
                       const WindowLayout& layout);
// The box that is dragged.
void draw_box(const Pointer& pointer, double scale);
// The values of a pixel on the lower edge of the picture (pixel_readout.cpp).
struct PointedPixel {
    const ShownFrame& shown;
    Point coded;
    HdrPicture hdr = {};
};
void draw_pixel_values(const PointedPixel& pixel, const ViewState& view, const StackPair& stacks,
                       const WindowLayout& layout);
// In which its values are shown, as ImGui packs colours: each channel has its own, luma and gray
// are white.
std::uint32_t component_colour(Component component);
// What the picture waits for, with a spinner; "" draws nothing.
void draw_wait_sign(std::string_view awaited, const WindowLayout& layout);
// Labels over a comparison: the sides, the gain, and the scale of the difference.
void draw_compare_labels(const DisplayShape& shape, const ViewState& view, const StackPair& stacks,
                         const WindowLayout& layout);
// Draws the picture itself with OpenGL, below all ImGui windows.
void render_picture(PictureRenderer& renderer, const Playing& playing, const ViewState& view,
                    const Rect& area, const Window& window);

}  // namespace weft
