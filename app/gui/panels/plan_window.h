// A plan of `weft batch`, read only.
#pragma once

#include <string>

#include "app/gui/window/window.h"
#include "app/viewer/plan/plan_watch.h"
#include "app/viewer/shell/toasts.h"

namespace weft {

// The plan and the thread that reads it.
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

}  // namespace weft
