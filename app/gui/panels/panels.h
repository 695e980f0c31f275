// The parts of the window that have no state, or too little for a header of their own.
#pragma once

#include <stop_token>
#include <string>

#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_state.h"

namespace weft {

struct Device;
struct Gui;
struct PlayerStatus;
struct Playing;
struct Pointer;
struct SessionReport;
struct StackPair;
struct WorkerStatus;
class ExportQueue;
class KeyBindings;
class Toasts;
class Window;

// ---- panels, inside the ImGui window of their place ----

// The values of the pixel under the pointer, and facts about the file and the frame.
void draw_inspector(const Playing& playing, const Pointer& pointer);
// Options of the view: the sides shown, how they are compared, the scale.
void draw_view(ViewState& view, StackPair& stacks, Playing& playing, const Rect& picture);
void draw_filters(Gui& gui);
void draw_export(Gui& gui);
void draw_kernels(Gui& gui);

// ---- over the picture ----

void draw_toasts(Toasts& toasts, const Rect& picture);
// Time per frame and playback statistics.
void draw_stats(const Device& device, const PlayerStatus& player, const WorkerStatus& worker,
                const SessionReport& report, const Rect& picture);

// ---- windows and sheets ----

void draw_matrix(Gui& gui);

// The list of keys.
struct HelpOverlay {
    bool open = false;
    std::string search;
};
void draw_help(HelpOverlay& help, const KeyBindings& bindings);
// Versions, devices and licence.
void draw_about(bool& open, const SessionReport& report);

// Whether the window closes: requested, and no export runs or waits, or draw_quit()'s question was
// answered. `asked`: the question is shown.
bool closes_now(bool& asked, Window& window, const ExportQueue& queue, const std::stop_token& stop);
// Asks whether to give up running and waiting exports.
void draw_quit(bool& asked, Window& window, const ExportQueue& queue);

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
