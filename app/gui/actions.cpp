#include "app/gui/actions.h"

#include <algorithm>

#include "app/gui/gui.h"
#include "app/gui/playback_actions.h"

namespace weft {
namespace {

using enum ActionGroup;

void set_mode(Gui& gui, CompareMode mode) {
    gui.view.mode = gui.view.mode == mode ? CompareMode::single : mode;
}

void turn_wipe(ViewState& view) {
    using enum WipeOrientation;
    view.wipe_line = view.wipe_line == vertical ? horizontal : vertical;
}

void zoom_by(Gui& gui, double factor) {
    const auto shape = gui.picture_shape();
    if (!shape) return;
    const Rect& r = gui.layout.picture;
    const Point middle{r.x + r.width / 2, r.y + r.height / 2};
    gui.view.zoom = zoomed_at(gui.view.zoom, factor, middle, shape->display_size(), r);
}

void pan_by(Gui& gui, double dx, double dy) {
    const auto shape = gui.picture_shape();
    if (!shape) return;
    gui.view.zoom = panned(gui.view.zoom, dx, dy, shape->display_size());
}

void scale_ui(Gui& gui, double factor) {
    gui.user_scale = std::clamp(gui.user_scale * factor, 0.5, 3.0);
}

void show_one_to_one(Gui& gui) {
    const auto shape = gui.picture_shape();
    if (!shape) return;
    gui.view.zoom =
        one_to_one(gui.view.zoom, gui.pointer.screen, shape->display_size(), gui.layout.picture);
}

void toggle_fullscreen(Gui& gui) {
    gui.view.fullscreen = !gui.view.fullscreen;
    gui.window.set_fullscreen(gui.view.fullscreen);
}

void quit_and_keep_place(Gui& gui) {
    keep_place(gui);
    gui.window.ask_to_close();
}

void show_tab(Gui& gui, std::string_view tab) {
    gui.panels.side_open = true;
    gui.panels.wanted_tab = tab;
}

void escape(Gui& gui) {
    if (gui.open_panel.open)
        gui.open_panel.open = false;
    else if (gui.panels.help_open)
        gui.panels.help_open = false;
    else if (gui.panels.filters[gui.edited].matrix.step != 0)
        gui.panels.filters[gui.edited].matrix.step = 0;
    else if (gui.view.fullscreen)
        toggle_fullscreen(gui);
    else
        gui.view.mode = CompareMode::single;
}

// mpv's keys where mpv has them.
constexpr std::array kActions = {
    Action{file, "Open", {"Ctrl+O"}, open_files},
    Action{file, "Export", {"Ctrl+Shift+E"}, [](Gui& g) { show_tab(g, "Export"); }},
    Action{file, "Save the filtered picture", {"s"}, [](Gui& g) { save_picture(g, g.view.right); }},
    Action{file, "Save the original picture", {"S"}, [](Gui& g) { save_picture(g, 0); }},
    Action{file, "Save a picture of the window", {"Ctrl+Shift+S"}, save_window},
    Action{file, "Next file", {">"}, [](Gui& g) { g.open_neighbour(1); }},
    Action{file, "Previous file", {"<"}, [](Gui& g) { g.open_neighbour(-1); }},
    Action{file, "Quit", {"q", "Ctrl+Q"}, [](Gui& g) { g.window.ask_to_close(); }},
    Action{file, "Quit and go on here the next time", {"Q"}, quit_and_keep_place},

    Action{playback, "Play or pause", {"Space", "p"}, toggle_pause},
    Action{playback, "Next frame", {"."}, [](Gui& g) { g.player.step(1); }, nullptr, true},
    Action{playback, "Previous frame", {","}, [](Gui& g) { g.player.step(-1); }, nullptr, true},
    Action{playback,
           "5 s forward",
           {"Right", "Shift+Up"},
           [](Gui& g) { seek_by(g, 5); },
           nullptr,
           true},
    Action{playback,
           "5 s back",
           {"Left", "Shift+Down"},
           [](Gui& g) { seek_by(g, -5); },
           nullptr,
           true},
    Action{playback, "1 s forward", {"Shift+Right"}, [](Gui& g) { seek_by(g, 1); }, nullptr, true},
    Action{playback, "1 s back", {"Shift+Left"}, [](Gui& g) { seek_by(g, -1); }, nullptr, true},
    Action{playback, "1 min forward", {"Up"}, [](Gui& g) { seek_by(g, 60); }, nullptr, true},
    Action{playback, "1 min back", {"Down"}, [](Gui& g) { seek_by(g, -60); }, nullptr, true},
    Action{playback, "10 min forward", {"Shift+PageUp"}, [](Gui& g) { seek_by(g, 600); }},
    Action{playback, "10 min back", {"Shift+PageDown"}, [](Gui& g) { seek_by(g, -600); }},
    Action{playback, "Next chapter", {"PageUp"}, [](Gui& g) { seek_chapter(g, 1); }},
    Action{playback, "Previous chapter", {"PageDown"}, [](Gui& g) { seek_chapter(g, -1); }},
    Action{playback, "Loop: set A, set B, clear", {"l"}, mark_loop},
    Action{playback, "To the beginning", {"Home"}, [](Gui& g) { g.player.seek(0); }},
    Action{playback,
           "Slower by a tenth",
           {"["},
           [](Gui& g) { scale_speed(g, 1 / 1.1); },
           nullptr,
           true},
    Action{
        playback, "Faster by a tenth", {"]"}, [](Gui& g) { scale_speed(g, 1.1); }, nullptr, true},
    Action{playback, "Half speed", {"{"}, [](Gui& g) { scale_speed(g, 0.5); }},
    Action{playback, "Double speed", {"}"}, [](Gui& g) { scale_speed(g, 2); }},
    Action{playback, "Normal speed", {"Backspace"}, [](Gui& g) { g.player.set_speed(1); }},
    Action{playback, "Mute", {"m"}, toggle_mute},
    Action{playback, "Louder", {"0", "*"}, [](Gui& g) { change_volume(g, 0.02); }, nullptr, true},
    Action{playback, "Quieter", {"9", "/"}, [](Gui& g) { change_volume(g, -0.02); }, nullptr, true},

    Action{stack, "Undo", {"Ctrl+Z"}, [](Gui& g) { g.stack().undo(); }, nullptr, true},
    Action{
        stack, "Redo", {"Ctrl+Shift+Z", "Ctrl+Y"}, [](Gui& g) { g.stack().redo(); }, nullptr, true},
    Action{stack,
           "Add a filter",
           {"Ctrl+F"},
           [](Gui& g) {
               show_tab(g, "Filters");
               g.panels.filters[g.edited].filter_menu.open = true;
           }},
    Action{stack,
           "Save or load a preset",
           {"Ctrl+S"},
           [](Gui& g) {
               show_tab(g, "Filters");
               g.panels.filters[g.edited].preset_menu.open = true;
           }},
    Action{stack,
           "Show the original while held",
           {"e"},
           [](Gui& g) { g.view.held_original = true; },
           [](Gui& g) { g.view.held_original = false; }},

    Action{view,
           "Wipe between original and filtered",
           {"w"},
           [](Gui& g) { set_mode(g, CompareMode::wipe); }},
    Action{view, "Turn the wipe's line", {"t"}, [](Gui& g) { turn_wipe(g.view); }},
    Action{view, "Side by side", {"W"}, [](Gui& g) { set_mode(g, CompareMode::side_by_side); }},
    Action{view, "Difference", {"d"}, [](Gui& g) { set_mode(g, CompareMode::difference); }},
    Action{view,
           "Difference in false colour",
           {"D"},
           [](Gui& g) { g.view.false_colour = !g.view.false_colour; }},
    Action{view, "Swap the sides", {"x"}, [](Gui& g) { std::swap(g.view.left, g.view.right); }},
    Action{view, "Zoom in", {"+", "Alt++"}, [](Gui& g) { zoom_by(g, 1.25); }, nullptr, true},
    Action{view, "Zoom out", {"-", "Alt+-"}, [](Gui& g) { zoom_by(g, 0.8); }, nullptr, true},
    Action{view, "One to one", {"1"}, show_one_to_one},
    Action{view, "Fit the window", {"Alt+Backspace", "2"}, [](Gui& g) { g.view.zoom = {}; }},
    Action{view, "Pan left", {"Alt+Left"}, [](Gui& g) { pan_by(g, 64, 0); }, nullptr, true},
    Action{view, "Pan right", {"Alt+Right"}, [](Gui& g) { pan_by(g, -64, 0); }, nullptr, true},
    Action{view, "Pan up", {"Alt+Up"}, [](Gui& g) { pan_by(g, 0, 64); }, nullptr, true},
    Action{view, "Pan down", {"Alt+Down"}, [](Gui& g) { pan_by(g, 0, -64); }, nullptr, true},
    Action{view, "Full screen", {"f", "F11"}, toggle_fullscreen},
    Action{view, "Larger text", {"Ctrl++", "Ctrl+="}, [](Gui& g) { scale_ui(g, 1.1); }},
    Action{view, "Smaller text", {"Ctrl+-"}, [](Gui& g) { scale_ui(g, 1 / 1.1); }},
    Action{view,
           "Dark or light",
           {"Ctrl+L"},
           [](Gui& g) {
               g.dark = !g.dark;
               g.themed = false;
           }},

    Action{panel, "Side column", {"F2"}, [](Gui& g) { g.panels.side_open = !g.panels.side_open; }},
    Action{panel, "Filters", {"F3"}, [](Gui& g) { show_tab(g, "Filters"); }},
    Action{panel, "View", {"F6"}, [](Gui& g) { show_tab(g, "View"); }},
    Action{panel, "Inspector", {"F4"}, [](Gui& g) { show_tab(g, "Inspector"); }},
    Action{panel, "Scopes", {"F7"}, [](Gui& g) { show_tab(g, "Scopes"); }},
    Action{panel, "Kernels", {"F5"}, [](Gui& g) { g.panels.bottom_open = !g.panels.bottom_open; }},

    Action{panel,
           "Statistics over the picture",
           {"i", "I"},
           [](Gui& g) { g.panels.stats_open = !g.panels.stats_open; }},

    Action{help, "Keys", {"?", "F1"}, [](Gui& g) { g.panels.help_open = !g.panels.help_open; }},
    Action{help, "Close what is open", {"Escape"}, escape},
};

}  // namespace

std::span<const Action> actions() {
    return kActions;
}

std::string_view title(ActionGroup group) {
    switch (group) {
        case file:
            return "File";
        case playback:
            return "Playback";
        case stack:
            return "Filters";
        case view:
            return "View";
        case panel:
            return "Panels";
        case help:
            return "Help";
    }
    return "";
}

bool run_key(Gui& gui, const KeyEvent& event) {
    for (const Action& action : kActions) {
        if (std::ranges::find(action.keys, event.name) == action.keys.end()) continue;
        if (event.repeated && !action.repeats) return true;
        action.run(gui);
        if (action.release != nullptr) gui.held_keys.emplace_back(event.scancode, &action);
        return true;
    }
    return false;
}

void release_key(Gui& gui, int scancode) {
    for (const auto& [code, action] : gui.held_keys)
        if (code == scancode) action->release(gui);
    std::erase_if(gui.held_keys, [&](const auto& held) { return held.first == scancode; });
}

}  // namespace weft
