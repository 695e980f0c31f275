// The panels around the picture and the other parts of the window.
#pragma once

namespace weft {

struct Gui;

// The panels, one line each: place, title, and the function that draws it inside the ImGui window
// of that place. The column at the side shows its panels as tabs, in this order.
#define WEFT_PANELS(PANEL)                   \
    PANEL(side, "Filters", draw_filters)     \
    PANEL(side, "View", draw_view)           \
    PANEL(side, "Inspector", draw_inspector) \
    PANEL(side, "Scopes", draw_scopes)       \
    PANEL(side, "Export", draw_export)       \
    PANEL(bottom, "Kernels", draw_kernels)

#define WEFT_DECLARE_PANEL(place, title, draw) void draw(Gui& gui);
WEFT_PANELS(WEFT_DECLARE_PANEL)
#undef WEFT_DECLARE_PANEL

// The columns that contain the panels, and the other parts around the picture.
void draw_side(Gui& gui);
void draw_bottom(Gui& gui);
void draw_menu(Gui& gui);
void draw_transport(Gui& gui);
void draw_matrix(Gui& gui);
void draw_toasts(Gui& gui);
void draw_help(Gui& gui);
void draw_stats(Gui& gui);
// Asks whether to stop a running export.
void draw_quit(Gui& gui);

// Whether the window closes: requested, and no export runs or draw_quit()'s question was answered.
bool closes_now(Gui& gui);

}  // namespace weft
