#include "app/gui/panels/remembered.h"

#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/gui/panels/gui.h"

namespace weft {
namespace {

// The remembered settings updated with the window's present state.
Settings settings_of(const Gui& gui) {
    Settings now = gui.remembered.settings;
    const PlayerStatus status = gui.playing.player.status();
    now.theme = gui.appearance.theme;
    now.ui_scale = gui.appearance.user_scale == 1 ? 0 : gui.appearance.user_scale;
    now.volume_percent = status.volume * 100;
    now.muted = status.muted;
    now.frame_cache_mib = static_cast<std::int64_t>(status.cache_budget >> 20);
    now.wipe = gui.view.wipe_line;
    now.difference_gain = gui.view.gain;
    now.pixel_grid = gui.view.pixel_grid;
    std::error_code error;
    if (status.media)
        now.last_folder =
            std::filesystem::absolute(status.media->path, error).parent_path().string();
    now.show_stack = gui.panels.side_open;
    now.section = gui.panels.section;
    now.panel_width = gui.panels.side_width;
    now.show_kernels = gui.panels.bottom_open;
    now.kernels_height = gui.panels.bottom_height;
    if (!gui.view.fullscreen) {
        // At scale 1: the next window is made larger by the display's scale again.
        const double scale = gui.window.unit_scale();
        now.window_width = std::llround(gui.window.size().width / scale);
        now.window_height = std::llround(gui.window.size().height / scale);
    }
    return now;
}

// The first one; `weft list keys` names them all.
std::string summary(const std::vector<std::string>& problems) {
    if (problems.size() == 1) return problems.front();
    return fmt::format("{} (and {} more wrong lines)", problems.front(), problems.size() - 1);
}

}  // namespace

Remembered load_remembered() {
    LoadedSettings settings = load_settings(settings_path());
    LoadedRecentFiles recent = load_recent_files(recent_files_path());
    LoadedKeys keys = load_keys(keys_path());
    Remembered all{std::move(settings.settings), std::move(recent.files), std::move(keys.keys), {}};
    for (std::string* problem : {&settings.problem, &recent.problem})
        if (!problem->empty()) all.problems.push_back(std::move(*problem));
    if (!keys.problems.empty()) all.problems.push_back(summary(keys.problems));
    return all;
}

void apply(const Remembered& remembered, Gui& gui) {
    const Settings& s = remembered.settings;
    gui.appearance.theme = s.theme;
    gui.appearance.user_scale = s.ui_scale > 0 ? s.ui_scale : 1;
    gui.view.wipe_line = s.wipe;
    gui.view.gain = s.difference_gain;
    gui.view.pixel_grid = s.pixel_grid;
    gui.panels.side_open = s.show_stack;
    gui.panels.section = s.section;
    gui.panels.side_width = s.panel_width;
    gui.panels.bottom_open = s.show_kernels;
    gui.panels.bottom_height = s.kernels_height;
    gui.playing.player.set_volume(s.volume_percent / 100);
    gui.playing.player.set_muted(s.muted);
    for (const std::string& problem : remembered.problems) gui.toasts.error(problem);
}

void keep(Gui& gui) {
    const Settings now = settings_of(gui);
    try {
        if (now != gui.remembered.settings) save_settings(now, settings_path());
        save_recent_files(gui.remembered.recent, recent_files_path());
    } catch (const std::exception& error) {
        gui.toasts.error(error.what());
    }
}

void keep_recent(const RecentFiles& recent) {
    try {
        save_recent_files(recent, recent_files_path());
    } catch (const std::exception&) {
        return;  // tried again when the window closes
    }
}

void keep_place(Gui& gui) {
    const std::shared_ptr<const MediaInfo> media = gui.playing.player.status().media;
    if (media && gui.playing.shown && !media->still)
        gui.remembered.recent.set_place(media->path, gui.playing.shown->played.seconds);
}

}  // namespace weft
