#include "app/gui/panels/actions.h"

#include <algorithm>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/playback_actions.h"

namespace weft {
namespace {

void set_mode(Gui& gui, CompareMode mode) {
    gui.view.mode = gui.view.mode == mode ? CompareMode::single : mode;
}

void turn_wipe(ViewState& view) {
    using enum WipeOrientation;
    view.wipe_line = view.wipe_line == vertical ? horizontal : vertical;
}

Point middle_of(const Rect& r) {
    return {r.x + r.width / 2, r.y + r.height / 2};
}

void zoom_by(Gui& gui, double factor) {
    const auto shape = gui.picture_shape();
    if (!shape) return;
    const Rect& r = gui.layout.picture;
    gui.view.zoom = zoomed_at(gui.view.zoom, factor, middle_of(r), shape->display_size(), r);
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
    // Zooming around a pointer in the menu would move a small picture out of the window.
    const Rect& r = gui.layout.picture;
    const Point fixed = gui.pointer.over_picture ? gui.pointer.screen : middle_of(r);
    gui.view.zoom = one_to_one(gui.view.zoom, fixed, shape->display_size(), r);
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

// The functions of a row in the list of keys.
struct Binding {
    std::string_view name;
    void (*run)(Gui&) = nullptr;
    void (*release)(Gui&) = nullptr;
};

constexpr std::array kBindings = {
    Binding{"Open", open_files},
    Binding{"Export", [](Gui& g) { show_tab(g, "Export"); }},
    Binding{"Save the filtered picture", [](Gui& g) { save_picture(g, g.view.right); }},
    Binding{"Save the original picture", [](Gui& g) { save_picture(g, 0); }},
    Binding{"Save a picture of the window", save_window},
    Binding{"Next file", [](Gui& g) { g.open_neighbour(1); }},
    Binding{"Previous file", [](Gui& g) { g.open_neighbour(-1); }},
    Binding{"Quit", [](Gui& g) { g.window.ask_to_close(); }},
    Binding{"Quit and resume here next time", quit_and_keep_place},

    Binding{"Play or pause", toggle_pause},
    Binding{"Next frame", [](Gui& g) { g.player.step(1); }},
    Binding{"Previous frame", [](Gui& g) { g.player.step(-1); }},
    Binding{"5 s forward", [](Gui& g) { seek_by(g, 5); }},
    Binding{"5 s back", [](Gui& g) { seek_by(g, -5); }},
    Binding{"1 s forward", [](Gui& g) { seek_by(g, 1); }},
    Binding{"1 s back", [](Gui& g) { seek_by(g, -1); }},
    Binding{"1 min forward", [](Gui& g) { seek_by(g, 60); }},
    Binding{"1 min back", [](Gui& g) { seek_by(g, -60); }},
    Binding{"10 min forward", [](Gui& g) { seek_by(g, 600); }},
    Binding{"10 min back", [](Gui& g) { seek_by(g, -600); }},
    Binding{"Next chapter", [](Gui& g) { seek_chapter(g, 1); }},
    Binding{"Previous chapter", [](Gui& g) { seek_chapter(g, -1); }},
    Binding{"Loop: set A, set B, clear", mark_loop},
    Binding{"To the beginning", [](Gui& g) { g.player.seek(0); }},
    Binding{"Slower by a tenth", [](Gui& g) { scale_speed(g, 1 / 1.1); }},
    Binding{"Faster by a tenth", [](Gui& g) { scale_speed(g, 1.1); }},
    Binding{"Half speed", [](Gui& g) { scale_speed(g, 0.5); }},
    Binding{"Double speed", [](Gui& g) { scale_speed(g, 2); }},
    Binding{"Normal speed", [](Gui& g) { g.player.set_speed(1); }},
    Binding{"Mute", toggle_mute},
    Binding{"Louder", [](Gui& g) { change_volume(g, 0.02); }},
    Binding{"Quieter", [](Gui& g) { change_volume(g, -0.02); }},

    Binding{"Undo", [](Gui& g) { g.stack().undo(); }},
    Binding{"Redo", [](Gui& g) { g.stack().redo(); }},
    Binding{"Add a filter", [](Gui& g) {
               show_tab(g, "Filters");
               g.panels.filters[g.edited].filter_menu.open = true;
           }},
    Binding{"Save or load a preset", [](Gui& g) {
               show_tab(g, "Filters");
               g.panels.filters[g.edited].preset_menu.open = true;
           }},
    Binding{"Show the original while held", [](Gui& g) { g.view.held_original = true; }, [](Gui& g) { g.view.held_original = false; }},

    Binding{"Wipe between original and filtered", [](Gui& g) { set_mode(g, CompareMode::wipe); }},
    Binding{"Turn the wipe's line", [](Gui& g) { turn_wipe(g.view); }},
    Binding{"Side by side", [](Gui& g) { set_mode(g, CompareMode::side_by_side); }},
    Binding{"Difference", [](Gui& g) { set_mode(g, CompareMode::difference); }},
    Binding{"Difference in false colour", [](Gui& g) { g.view.false_colour = !g.view.false_colour; }},
    Binding{"Swap the sides", [](Gui& g) { std::swap(g.view.left, g.view.right); }},
    Binding{"Zoom in", [](Gui& g) { zoom_by(g, 1.25); }},
    Binding{"Zoom out", [](Gui& g) { zoom_by(g, 0.8); }},
    Binding{"One to one", show_one_to_one},
    Binding{"Fit the window", [](Gui& g) { g.view.zoom = {}; }},
    Binding{"Pan left", [](Gui& g) { pan_by(g, 64, 0); }},
    Binding{"Pan right", [](Gui& g) { pan_by(g, -64, 0); }},
    Binding{"Pan up", [](Gui& g) { pan_by(g, 0, 64); }},
    Binding{"Pan down", [](Gui& g) { pan_by(g, 0, -64); }},
    Binding{"Full screen", toggle_fullscreen},
    Binding{"Larger text", [](Gui& g) { scale_ui(g, 1.1); }},
    Binding{"Smaller text", [](Gui& g) { scale_ui(g, 1 / 1.1); }},
    Binding{"Dark or light", [](Gui& g) {
               g.dark = !g.dark;
               g.themed = false;
           }},

    Binding{"Side column", [](Gui& g) { g.panels.side_open = !g.panels.side_open; }},
    Binding{"Filters", [](Gui& g) { show_tab(g, "Filters"); }},
    Binding{"View", [](Gui& g) { show_tab(g, "View"); }},
    Binding{"Inspector", [](Gui& g) { show_tab(g, "Inspector"); }},
    Binding{"Scopes", [](Gui& g) { show_tab(g, "Scopes"); }},
    Binding{"Kernels", [](Gui& g) { g.panels.bottom_open = !g.panels.bottom_open; }},
    Binding{"Statistics over the picture", [](Gui& g) { g.panels.stats_open = !g.panels.stats_open; }},

    Binding{"Keys", [](Gui& g) { g.panels.help_open = !g.panels.help_open; }},
    Binding{"Close the open panel or dialog", escape},
};

constexpr const Binding* binding_of(std::string_view name) {
    for (const Binding& binding : kBindings)
        if (binding.name == name) return &binding;
    return nullptr;
}

// Fails to compile if a row of the list has no binding.
constexpr std::array<Action, kKeyRows.size()> bound_rows() {
    std::array<Action, kKeyRows.size()> all{};
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Binding& binding = *binding_of(kKeyRows[k].name);
        all[k] = {kKeyRows[k], binding.run, binding.release};
    }
    return all;
}

static_assert(kBindings.size() == kKeyRows.size(), "an action has no row in the list of keys");
constexpr std::array kActions = bound_rows();

}  // namespace

std::span<const Action> actions() {
    return kActions;
}

bool run_key(Gui& gui, const KeyEvent& event) {
    for (const Action& action : kActions) {
        if (std::ranges::find(action.keys, event.name) == action.keys.end()) continue;
        if (event.repeated && !action.repeats) return true;
        action.run(gui);
        if (action.release != nullptr) gui.held_keys.emplace_back(event.scancode, &action);
        if (!action.repeats) gui.window.input().settle();
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
