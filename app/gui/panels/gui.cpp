#include "app/gui/panels/gui.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace weft {

Gui::Gui(Window& on, const ViewOptions& what, Remembered before, SessionReport& to)
    : window(on),
      options(what),
      remembered(std::move(before)),
      report(to),
      plan(what.plans),
      export_panel(what.device),
      renderer(what.device),
      scopes(what.device),
      filter_pictures(what.device),
      race(what.device, Window::wake),
      gpu_watch(what.device, Window::wake),
      player({.times = &stage_times,
              .gpu = what.device,
              .cache_budget = remembered.settings.frame_cache_bytes(),
              .on_change = Window::wake,
              .on_error =
                  [this](const std::string& sentence) {
                      error(sentence);
                      Window::wake();
                  }}),
      worker(
          player, presenter,
          {.device = what.device, .race = &race, .times = &stage_times, .on_change = Window::wake}),
      thumbnails(Window::wake) {
    stacks[0].replace(what.stack);
    apply(remembered, *this);
}

void Gui::open_all(const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    playlist.set(paths);
    open_at_place(playlist.current());
}

void Gui::open_neighbour(int by) {
    if (playlist.move(by))
        open_at_place(playlist.current());
    else
        note(by > 0 ? "This is the last file" : "This is the first file");
}

void Gui::open_at_place(const std::string& path) {
    open(path, remembered.recent.place(path).value_or(0));
}

void Gui::open(const std::string& path, double at_seconds) {
    remembered.recent.forget_place(path);
    if (options.plans.is_plan != nullptr && options.plans.is_plan(path)) {
        remembered.recent.add(path);
        keep_recent(*this);
        return plan.watch.open(path);
    }
    view.zoom = {};
    export_panel.pace.restart(stage_times, has_filters());
    const bool on_command_line = std::ranges::find(options.files, path) != options.files.end();
    player.play(path, at_seconds, on_command_line ? options.frame_rate : std::nullopt);
}

void Gui::note(const std::string& sentence) {
    toasts.post(ToastKind::note, sentence, std::chrono::steady_clock::now());
}

void Gui::error(const std::string& sentence) {
    toasts.post(ToastKind::error, sentence, std::chrono::steady_clock::now());
}

std::string Gui::file_name() const {
    if (!status.media) return "";
    return valid_utf8(std::filesystem::path(status.media->path).filename().string());
}

void Gui::set_two_stacks(bool two) {
    two_stacks = two;
    edited = two ? 1 : 0;
    if (two) {
        if (stacks[1].steps().empty()) stacks[1].replace(stacks[0].request());
        if (view.mode == CompareMode::single) view.mode = CompareMode::wipe;
        view.left = 1;
        view.right = 2;
        return;
    }
    view.left = std::min<Side>(view.left, 1);
    view.right = 1;
    if (view.left == view.right) view.left = 0;
}

bool Gui::has_filters() const {
    return !stacks[0].active().empty() || (two_stacks && !stacks[1].active().empty());
}

bool Gui::has_timeline() const {
    return status.media && !status.media->still;
}

std::optional<DisplayShape> Gui::picture_shape() const {
    if (!shown) return std::nullopt;
    const std::shared_ptr<const MediaInfo> media = status.media;
    return DisplayShape{shown->info.width, shown->info.height,
                        media && media->sample_aspect > 0 ? media->sample_aspect : 1,
                        shown->info.rotation_degrees};
}

}  // namespace weft
