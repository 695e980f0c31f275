// The parts of the window that have no state, or too little for a header of their own.
#pragma once

#include <stop_token>
#include <string>

#include "app/gui/window/window.h"
#include "app/viewer/plan/plan_watch.h"
#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_state.h"

namespace weft {

struct Device;
struct PlayerStatus;
struct Playing;
struct Pointer;
struct SessionReport;
struct StackPair;
struct WorkerStatus;
class ExportQueue;
class KeyBindings;
class Toasts;

// ---- panels, inside the ImGui window of their place ----

// The values of the pixel under the pointer, and facts about the file and the frame.
void draw_inspector(const Playing& playing, const Pointer& pointer);
// Draws the options of the view, which are the sides shown and their comparison.
void draw_view(ViewState& view, StackPair& stacks, Playing& playing);

// ---- over the picture ----

void draw_toasts(Toasts& toasts, const Rect& picture);
// Time per frame and playback statistics.
void draw_stats(const Device& device, const PlayerStatus& player, const WorkerStatus& worker,
                const SessionReport& report, const Rect& picture);

// ---- windows and sheets ----

// The list of keys.
struct HelpOverlay {
    bool open = false;
    std::string search;
};
void draw_help(HelpOverlay& help, const KeyBindings& bindings);
// A plan of `weft batch`, read only, and the thread that reads it.
struct PlanPanel {
    explicit PlanPanel(const PlanOpener& opener) : watch(opener, Window::wake) {}

    bool open_only = false;  // leave finished files out
    std::string selected;    // PlanFile::name of the file whose details are shown
    PlanWatch watch;
};
// Reports why a plan was refused. Call it once per redraw.
void poll_plan(PlanPanel& panel, Toasts& toasts);
// Draws the plan, if one is open.
void draw_plan(PlanPanel& panel, const WindowLayout& layout);
// "3 of 7: films.plan"; "" if none is open.
std::string plan_title(const PlanPanel& panel);
// Versions, devices and licence.
void draw_about(bool& open, const SessionReport& report);

// Whether the window closes: requested, and no export runs or waits, or draw_quit()'s question was
// answered.
bool should_close(bool& question_shown, Window& window, const ExportQueue& queue,
                  const std::stop_token& stop);
// Asks whether to give up running and waiting exports.
void draw_quit(bool& question_shown, Window& window, const ExportQueue& queue);

}  // namespace weft
