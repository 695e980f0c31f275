#include "app/gui/panels/playback_actions.h"

#include <chrono>

#include "app/gui/panels/gui.h"

namespace weft {
namespace {

double position(const Gui& gui) {
    return gui.player.clock(std::chrono::steady_clock::now());
}

}  // namespace

void toggle_pause(Gui& gui) {
    gui.player.set_paused(!gui.player.status().paused);
}

void seek_by(Gui& gui, double seconds) {
    gui.player.seek(position(gui) + seconds);
}

void seek_chapter(Gui& gui, int by) {
    const std::shared_ptr<const MediaInfo> media = gui.player.status().media;
    if (!media || media->chapters.empty()) return gui.note("the file has no chapters");
    if (const auto to = chapter_from(media->chapters, position(gui), by)) gui.player.seek(*to);
}

void scale_speed(Gui& gui, double factor) {
    gui.player.set_speed(gui.player.status().speed * factor);
}

void mark_loop(Gui& gui) {
    if (!gui.shown) return;
    const PlayerStatus status = gui.player.status();
    const double here = gui.shown->played.seconds;
    if (!status.loop_begin)
        gui.player.set_loop(here, std::nullopt);
    else if (!status.loop_end && here != *status.loop_begin)
        gui.player.set_loop(status.loop_begin, here);
    else
        gui.player.set_loop(std::nullopt, std::nullopt);
}

void change_volume(Gui& gui, double by) {
    gui.player.set_volume(gui.player.status().volume + by);
}

void toggle_mute(Gui& gui) {
    gui.player.set_muted(!gui.player.status().muted);
}

}  // namespace weft
