// All parts of the window and their state. Actions are functions over it; panels get the objects
// that they draw.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/panels/export_panel.h"
#include "app/gui/panels/kernels_panel.h"
#include "app/gui/panels/open_panel.h"
#include "app/gui/panels/panels.h"
#include "app/gui/panels/picture_area.h"
#include "app/gui/panels/remembered.h"
#include "app/gui/panels/scopes_panel.h"
#include "app/gui/panels/stack_panel.h"
#include "app/gui/panels/transport_bar.h"
#include "app/viewer/screen/presenter.h"
#include "app/viewer/screen/wait_sign.h"
#include "app/viewer/shell/system_theme.h"
#include "app/viewer/shell/view_options.h"

namespace weft {

struct Action;
struct Gui;

// Which parts of the window are open.
struct OpenParts {
    bool side_open = true;
    bool keys_mark_controls = false;  // from Tab to Escape or a click
    bool bottom_open = false;
    double side_width = 0;     // as dragged, at scale 1; 0: automatic
    double bottom_height = 0;  // likewise
    std::string section;       // title of the open section of the side column; "": none
    // Heights of the contents in the last redraw.
    double stack_needs = 0;
    double section_needs = 0;
    double foot_needs = 0;  // of these, the part that does not scroll
    bool stats_open = false;
    bool quit_asked = false;  // while an export runs
    bool about_open = false;
};

struct Appearance {
    double user_scale = 1;  // the user's factor on top of the display's
    double scale = 1;       // both together
    Theme theme = Theme::system;
    bool dark = true;      // the theme in use
    bool applied = false;  // to ImGui's style
};

// Members are destroyed in reverse order: threads before the objects they use, the renderer while
// its window exists.
struct Gui {
    Gui(Window& on, const ViewOptions& what, Remembered before, SessionReport& to);

    Window& window;
    const ViewOptions& options;
    Remembered remembered;
    SessionReport& report;
    Toasts toasts;
    StackPair stacks;
    ViewState view;
    OpenParts panels;
    HelpOverlay help;
    Pointer pointer;
    std::chrono::steady_clock::time_point mouse_used;      // moved or pressed
    bool controls_shown = true;                            // in full screen: see run_window.cpp
    std::vector<std::pair<int, const Action*>> held_keys;  // scancodes of lasting actions
    WaitSign wait_sign;
    WindowLayout layout;
    Appearance appearance;
    SystemTheme system_theme{Window::wake};
    Playlist playlist;
    TransportBar transport;
    OpenPanel open_panel;
    PlanPanel plan;
    PictureRenderer renderer;
    StageTimes stage_times;
    FiltersPanel filters;
    ScopesPanel scopes;
    ExportPanel export_panel;
    KernelsPanel kernels;
    Presenter presenter;
    Playing playing;
    FrameWorker worker;

    // Opens the file that the playlist requests, at its remembered position if that is enabled.
    void open_requested();
    void open(const std::string& path, double at_seconds = 0);
};

// The regions on the picture, which are shown next to the cards of their steps.
RegionTool region_tool(Gui& gui);

// Acts on the selected region of the edited stack at the shown frame.
void act_on_region(Gui& gui, RegionAction action);
// Shows the regions of the frame on the screen and their marks on the timeline, takes the result of
// the tracker, and reports problems. Call it once per redraw.
void poll_regions(Gui& gui);

// Opens the panel Kernels with the race of this active step of the edited stack.
void race_step(Gui& gui, std::size_t step);

// Each panel has one line with its place, its title and the call that draws it inside the ImGui
// window of that place. The column at the side always shows the stack. The sections fold below it,
// in this order, and one is open at a time. `foot` is drawn below a section and does not scroll.
enum class Place : std::uint8_t { stack, section, bottom };
struct PanelRow {
    Place place = Place::section;
    std::string_view title;
    void (*draw)(Gui&) = nullptr;
    void (*foot)(Gui&) = nullptr;
};
inline constexpr std::array kPanels{
    PanelRow{Place::stack, "Filters",
             [](Gui& g) {
                 const auto raced = draw_filters(g.filters, g.stacks, g.playing, g.toasts);
                 if (raced) race_step(g, *raced);
                 act_on_region(g, std::exchange(g.filters.of_stack[g.stacks.edited].region_action,
                                                RegionAction::none));
             }},
    PanelRow{Place::section, "View options",
             [](Gui& g) { draw_view(g.view, g.stacks, g.playing); }},
    PanelRow{Place::section, "Inspector", [](Gui& g) { draw_inspector(g.playing, g.pointer); }},
    PanelRow{Place::section, "Scopes",
             [](Gui& g) { draw_scopes(g.scopes, g.playing.shown, g.view.right); }},
    PanelRow{Place::section, "Export",
             [](Gui& g) { draw_export(g.export_panel, g.playing, g.stacks, g.view, g.playlist); },
             [](Gui& g) { draw_export_foot(g.export_panel, g.playing, g.stacks, g.view); }},
    PanelRow{
        Place::bottom, "Kernels",
        [](Gui& g) { draw_kernels(g.kernels, g.stacks, g.view, g.playing, g.worker.status()); }},
};

// The menu, the bar, and the columns that contain the panels.
void draw_menu(Gui& gui);
// How the picture is compared, and its scale, in a bar above it.
void draw_compare_bar(Gui& gui);
void draw_side(Gui& gui);
void draw_bottom(Gui& gui);

// Applies the settings to a new window.
void apply(const Remembered& remembered, Gui& gui);

// Writes all changes. Problems are shown in the window and, as it may be closing, added to the
// session's report.
void keep(Gui& gui);

// Remembers the current file and its position.
void keep_place(Gui& gui);

}  // namespace weft
