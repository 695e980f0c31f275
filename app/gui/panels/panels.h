// The panels around the picture and the other parts of the window.
#pragma once

#include <string>

#include "app/viewer/view/view_state.h"

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
// In the transport bar; `position` is the shown frame's, in seconds.
void draw_timeline(Gui& gui, double position);
void draw_matrix(Gui& gui);
void draw_toasts(Gui& gui);
void draw_help(Gui& gui);
void draw_stats(Gui& gui);
// Versions, devices and licence, if asked for.
void draw_about(Gui& gui);
// Asks whether to give up running and waiting exports.
void draw_quit(Gui& gui);

// Whether the window closes: requested, and no export runs or waits, or draw_quit()'s question was
// answered.
bool closes_now(Gui& gui);

// ---- the picture (picture_area.cpp) ----

// Ctrl and the wheel zoom around the cursor, dragging pans, moving sets the wipe, a double click
// toggles full screen.
void handle_picture_mouse(Gui& gui);
// Draws with ImGui over the picture: the wipe's line, sample values, a spinner.
void draw_over_picture(Gui& gui);
// Labels over a comparison: the sides, the gain, and the scale of the difference.
void draw_compare_labels(const Gui& gui);
// "Original", "Filtered"; with two stacks "First stack" and "Second stack".
std::string side_name(const Gui& gui, Side side);
// Draws the picture itself with OpenGL, below all ImGui windows.
void render_picture(Gui& gui);

// In place of the picture while no file is open: opens files, recent ones and the sample.
void draw_first_page(Gui& gui);

// ---- opening and exporting files (open_panel.cpp, export_panel.cpp) ----

// Ctrl+O.
void open_files(Gui& gui);
// The recent files, one row each, which opens it; missing ones are disabled. Reads the disk when
// the window or menu around it appears.
void draw_recent_files(Gui& gui);
// Takes the dialog's answer and the folder's contents. Call it once per redraw.
void poll_open(Gui& gui);
// Draws the list, if it is open: recently opened files and the contents of a folder.
void draw_open(Gui& gui);

// ---- plans of `weft batch` (plan_window.cpp) ----

// Reports why a plan was refused. Call it once per redraw.
void poll_plan(Gui& gui);
// Draws the plan, if one is open.
void draw_plan(Gui& gui);
// "3 of 7: films.plan"; "" if none is open.
std::string plan_title(const Gui& gui);

// In the Export panel: the exports that run, wait or have ended, and their controls.
void draw_export_queue(Gui& gui);

// Starts the next export, and reports finished ones as toasts. Call it once per redraw.
void poll_exports(Gui& gui);

// Saves that side of the shown frame to a file in the video's folder, in full depth.
void save_picture(Gui& gui, Side side);

// Saves the whole window as drawn next.
void save_window(Gui& gui);

// Reads the window's pixels if save_window() requested them: after drawing, before the swap.
void take_window_shot(Gui& gui);

}  // namespace weft
