#include "app/gui/panels/actions.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/gui/panels/gui.h"
#include "app/viewer/view/view_parts.h"

namespace weft {
namespace {

void toggle(bool& value) {
    value = !value;
}

// ---- playback ----------------------------------------------------------------------------------

double position(const Gui& gui) {
    return gui.playing.player.clock(std::chrono::steady_clock::now());
}

void toggle_pause(Gui& gui) {
    gui.playing.player.set_paused(!gui.playing.player.status().paused);
}

void seek_by(Gui& gui, double seconds) {
    gui.playing.player.seek(position(gui) + seconds);
}

// Seeks to the beginning of the chapter `by` chapters ahead, or back; in the first second of a
// chapter it goes back to the previous one.
void seek_chapter(Gui& gui, int by) {
    const std::shared_ptr<const MediaInfo> media = gui.playing.player.status().media;
    if (!media || media->chapters.empty()) return gui.toasts.note("This file has no chapters");
    if (const auto to = chapter_from(media->chapters, position(gui), by))
        gui.playing.player.seek(*to);
}

void scale_speed(Gui& gui, double factor) {
    gui.playing.player.set_speed(gui.playing.player.status().speed * factor);
}

void change_volume(Gui& gui, double by) {
    gui.playing.player.set_volume(gui.playing.player.status().volume + by);
}

void toggle_mute(Gui& gui) {
    gui.playing.player.set_muted(!gui.playing.player.status().muted);
}

// ---- view --------------------------------------------------------------------------------------

void set_mode(Gui& gui, CompareMode mode) {
    gui.view.choose(gui.view.mode == mode ? CompareMode::single : mode);
}

// Wide films are stacked, unless they already are.
void show_sides(Gui& gui) {
    using enum CompareMode;
    const auto shape = gui.playing.picture_shape();
    const bool compared = gui.view.mode == side_by_side || gui.view.mode == stacked;
    const bool stack =
        !compared && shape && stacked_is_larger(shape->display_size(), gui.layout.picture);
    set_mode(gui, stack ? stacked : side_by_side);
}

void turn_wipe(ViewState& view) {
    using enum WipeOrientation;
    view.wipe_line = view.wipe_line == vertical ? horizontal : vertical;
}

Point middle_of(const Rect& r) {
    return {r.x + r.width / 2, r.y + r.height / 2};
}

void zoom_by(Gui& gui, double factor) {
    const auto shape = gui.playing.picture_shape();
    if (!shape) return;
    const ScreenSize size = shape->display_size();
    const Rect& area = gui.layout.picture;
    const Rect r = viewport_at(gui.view, size, area, {area.x, area.y});
    gui.view.zoom = zoomed_at(gui.view.zoom, factor, middle_of(r), size, r);
}

void pan_by(Gui& gui, double dx, double dy) {
    const auto shape = gui.playing.picture_shape();
    if (!shape) return;
    gui.view.zoom = panned(gui.view.zoom, dx, dy, shape->display_size());
}

void scale_ui(Gui& gui, double factor) {
    gui.appearance.user_scale = std::clamp(gui.appearance.user_scale * factor, 0.5, 3.0);
}

void show_one_to_one(Gui& gui) {
    const auto shape = gui.playing.picture_shape();
    if (!shape) return;
    // Zooming around a pointer in the menu would move a small picture out of the window.
    const ScreenSize size = shape->display_size();
    const Rect r = viewport_at(gui.view, size, gui.layout.picture, gui.pointer.screen);
    const Point fixed = gui.pointer.over_picture ? gui.pointer.screen : middle_of(r);
    gui.view.zoom = one_to_one(gui.view.zoom, fixed, size, r);
}

void toggle_fullscreen(Gui& gui) {
    gui.view.fullscreen = !gui.view.fullscreen;
    gui.window.set_fullscreen(gui.view.fullscreen);
}

void toggle_theme(Gui& gui) {
    gui.appearance.theme = gui.appearance.dark ? Theme::light : Theme::dark;
}

bool follows_desktop(const Gui& gui) {
    return gui.appearance.theme == Theme::system;
}

// Ended, the theme stays as it is.
void toggle_desktop_theme(Gui& gui) {
    const Theme shown = gui.appearance.dark ? Theme::dark : Theme::light;
    gui.appearance.theme = follows_desktop(gui) ? shown : Theme::system;
}

// ---- panels and dialogs ------------------------------------------------------------------------

bool shows_section(const Gui& gui, std::string_view title) {
    return gui.panels.side_open && gui.panels.section == title;
}

void quit_and_keep_place(Gui& gui) {
    keep_place(gui);
    gui.window.ask_to_close();
}

// Opens a section of the side column, or folds it if it is open.
void toggle_section(Gui& gui, std::string_view title) {
    gui.panels.section = shows_section(gui, title) ? "" : title;
    gui.panels.side_open = true;
}

// The stack gets the whole side column.
void show_stack_alone(Gui& gui) {
    gui.panels.side_open = true;
    gui.panels.section.clear();
}

void open_filter_menu(Gui& gui) {
    gui.panels.side_open = true;
    gui.filters.of_stack[gui.stacks.edited].filter_menu.open = true;
}

void open_preset_menu(Gui& gui) {
    gui.panels.side_open = true;
    gui.filters.of_stack[gui.stacks.edited].preset_menu.open = true;
}

// Shown with their step, and not without its panel.
void remove_region(Gui& gui) {
    const RegionTool regions = region_tool(gui);
    if (regions.shown) regions.edit.remove(regions.editor);
}

// Moves the region, or its right and lower side, by whole pixels.
void move_region(Gui& gui, RegionGrip grip, Point by) {
    const RegionTool regions = region_tool(gui);
    if (const auto shape = gui.playing.picture_shape(); shape && regions.shown)
        regions.edit.move_by(regions.editor, RegionCanvas(*shape, {}), grip, by);
}

void end_region_move(Gui& gui) {
    const RegionTool regions = region_tool(gui);
    regions.edit.release(regions.editor);
}

void escape(Gui& gui) {
    if (gui.open_panel.open)
        gui.open_panel.open = false;
    else if (gui.panels.about_open)
        gui.panels.about_open = false;
    else if (gui.help.open)
        gui.help.open = false;
    else if (!gui.plan.watch.view().path.empty())
        gui.plan.watch.close();
    else if (const RegionTool regions = region_tool(gui); regions.edit.cancel(regions.editor))
        return;
    else if (gui.filters.of_stack[gui.stacks.edited].matrix.step != 0)
        gui.filters.of_stack[gui.stacks.edited].matrix.step = 0;
    else if (gui.view.fullscreen)
        toggle_fullscreen(gui);
    else
        gui.view.choose(CompareMode::single);
}

// ---- the list of keys --------------------------------------------------------------------------

bool plays(const Gui& gui) {
    return gui.playing.has_timeline();
}

bool shows(const Gui& gui) {
    return gui.playing.shown != nullptr;
}

bool lists(const Gui& gui) {
    return gui.playlist.files().size() > 1;
}

bool has_chapters(const Gui& gui) {
    return plays(gui) && !gui.playing.status.media->chapters.empty();
}

bool compares(const Gui& gui, CompareMode mode) {
    return gui.view.mode == mode;
}

using Predicate = bool (*)(const Gui&);
struct Tick {
    Predicate is;
};
struct Need {
    Predicate is;
};
struct Line {};

constexpr void add(Action& action, Tick tick) {
    action.ticked = tick.is;
}
constexpr void add(Action& action, Need need) {
    action.usable = need.is;
}
constexpr void add(Action& action, Line /*line*/) {
    action.line_above = true;
}

using Run = void (*)(Gui&);
template <class... Details>
constexpr Action row(const KeyRow& key, Run run, Run release, Details... details) {
    Action action{key, run, release};
    (add(action, details), ...);
    return action;
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are expressions in `gui`
#define TICK(is) Tick({[]([[maybe_unused]] const Gui& gui) -> bool { return is; }})
#define NEEDS(is) Need({[]([[maybe_unused]] const Gui& gui) -> bool { return is; }})
#define LINE Line()
#define RUN(action) [](Gui& gui) { action; }
#define WEFT_KEY(group, name, command, keys, action, ...)              \
    row({ActionGroup::group, name, command, keys, false}, RUN(action), \
        nullptr __VA_OPT__(, ) __VA_ARGS__),
#define WEFT_REPEATED_KEY(group, name, command, keys, action, ...)    \
    row({ActionGroup::group, name, command, keys, true}, RUN(action), \
        nullptr __VA_OPT__(, ) __VA_ARGS__),
#define WEFT_STEP_KEY(group, name, command, keys, action, release, ...) \
    row({ActionGroup::group, name, command, keys, true}, RUN(action),   \
        RUN(release) __VA_OPT__(, ) __VA_ARGS__),
#define WEFT_HELD_KEY(group, name, command, keys, action, release, ...) \
    row({ActionGroup::group, name, command, keys, false}, RUN(action),  \
        RUN(release) __VA_OPT__(, ) __VA_ARGS__),
// NOLINTEND(bugprone-macro-parentheses)
constexpr std::array kActions = {
#include "app/viewer/shell/keys.def"
};
#undef TICK
#undef NEEDS
#undef LINE
#undef RUN

std::size_t row_of(const Action& action) {
    return static_cast<std::size_t>(&action - kActions.data());
}

}  // namespace

std::span<const Action> actions() {
    return kActions;
}

std::string key_text(const KeyBindings& bindings, const Action& action) {
    return bindings.text(row_of(action));
}

std::string first_key(const KeyBindings& bindings, const Action& action) {
    const std::vector<std::string> keys = bindings.keys_of(row_of(action));
    return keys.empty() ? "" : keys.front();
}

bool run_key(Gui& gui, const KeyEvent& event) {
    const std::optional<std::size_t> row = gui.remembered.keys.row_of(event.name);
    if (!row) return false;
    const Action& action = kActions[*row];
    if (event.repeated && !action.repeats) return true;
    // Ctrl may be released before the arrow key that it belongs to.
    const bool began_another = std::ranges::any_of(gui.held_keys, [&](const auto& held) {
        return held.first == event.scancode && held.second != &action;
    });
    if (event.repeated && began_another) return true;
    action.run(gui);
    if (action.release != nullptr && !event.repeated)
        gui.held_keys.emplace_back(event.scancode, &action);
    if (!action.repeats) gui.window.input().settle();
    return true;
}

void release_key(Gui& gui, int scancode) {
    for (const auto& [code, action] : gui.held_keys)
        if (code == scancode) action->release(gui);
    std::erase_if(gui.held_keys, [&](const auto& held) { return held.first == scancode; });
}

}  // namespace weft
