#include "app/gui/panels/gui.h"

#include <algorithm>
#include <utility>

namespace weft {

Gui::Gui(Window& on, const ViewOptions& what, Remembered before, SessionReport& to)
    : window(on),
      options(what),
      remembered(std::move(before)),
      report(to),
      plan(what.plans),
      renderer(what.device),
      filters(what.device),
      scopes(what.device),
      export_panel(what.device, stage_times, toasts),
      kernels(what.device, stage_times, toasts),
      playing({.times = &stage_times,
               .gpu = what.device,
               .cache_budget = remembered.settings.frame_cache_bytes(),
               .loop_below_seconds = remembered.settings.loop_below_seconds,
               .on_change = Window::wake,
               .on_error =
                   [this](const std::string& sentence) {
                       toasts.error(sentence);
                       Window::wake();
                   }}),
      worker(playing.player, presenter,
             {.device = what.device,
              .race = &kernels.race,
              .times = &stage_times,
              .on_change = Window::wake}) {
    stacks.editors[0].replace(what.stack);
    apply(remembered, *this);
}

void Gui::open_requested() {
    if (const std::string* const path = playlist.take_request())
        open(*path, remembered.recent.place(*path).value_or(0));
}

void Gui::open(const std::string& path, double at_seconds) {
    remembered.recent.forget_place(path);
    if (options.plans.is_plan != nullptr && options.plans.is_plan(path)) {
        remembered.recent.add(path);
        keep_recent(remembered.recent);
        return plan.watch.open(path);
    }
    view.zoom = {};
    export_panel.pace.restart(stage_times, stacks.has_filters());
    const bool on_command_line = std::ranges::find(options.files, path) != options.files.end();
    playing.player.play(path, at_seconds, on_command_line ? options.frame_rate : std::nullopt);
}

RegionTool region_tool(Gui& gui) {
    return {.edit = gui.filters.of_stack[gui.stacks.edited].regions,
            .editor = gui.stacks.current(),
            .shown = gui.panels.side_open && !gui.view.fullscreen && !gui.view.held_original};
}

void race_step(Gui& gui, std::size_t step) {
    gui.kernels.settings.step = step;
    gui.kernels.racing = true;
    gui.panels.bottom_open = true;
}

}  // namespace weft
