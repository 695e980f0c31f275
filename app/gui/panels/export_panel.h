// The Export panel saves the video and single pictures, and shows the queue of exports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/gui/panels/playing.h"
#include "app/gui/panels/transport_bar.h"
#include "app/gui/window/window.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/export/export_estimate.h"
#include "app/viewer/export/export_queue.h"
#include "app/viewer/export/frame_export.h"
#include "app/viewer/export/unfinished_export.h"
#include "app/viewer/play/playlist.h"
#include "app/viewer/shell/toasts.h"

namespace weft {

// The button whose export was refused because its file exists.
enum class ExportButton : std::uint8_t { save, add };

// State of the panel, and the threads that do its work. `times` are those of the shown frames, and
// outlive the panel as `to` does.
struct ExportPanel {
    ExportPanel(const Device& on, const StageTimes& times, Toasts& to)
        : device(on), stage_times(times), toasts(to), planner(on, Window::wake) {}

    const Device device;
    const StageTimes& stage_times;
    Toasts& toasts;
    std::string folder, name;  // parts of output()
    std::string proposed_for;  // the input that they were proposed for
    std::string output() const;
    bool part_only = false;  // from A to B
    bool compared = false;
    bool keep_damaged = false;
    std::optional<bool> resumable;  // as chosen; otherwise for long exports
    bool takes_long = false;        // as estimated
    bool interrupted = false;       // an earlier export of this name has left segments
    Unfinished unfinished = Unfinished::none;
    bool audio = true;
    std::string codec;  // CodecChoice::encoder
    ExportQuality quality = ExportQuality::high;
    float crf = 0;                         // for ExportQuality::custom
    std::optional<ExportRefusal> refusal;  // from the last attempt
    ExportButton refused = ExportButton::save;
    std::string extension = "png";  // for single pictures
    bool window_shot_wanted = false;
    FilterPace pace;
    ExportPlanner planner;
    ExportQueue queue{Window::wake};
    std::string reported_disk;  // the last ExportStatus::full_disk
    ShotSaver shots{Window::wake};
};

void draw_export(ExportPanel& panel, Playing& playing, const StackPair& stacks,
                 const ViewState& view, Playlist& playlist);
// What stays below the panel while it scrolls: the estimate and the buttons that start an export.
void draw_export_foot(ExportPanel& panel, Playing& playing, const StackPair& stacks,
                      const ViewState& view);
// Draws the exports that run, wait or have ended, and their controls, in the panel.
void draw_export_queue(ExportPanel& panel, Playlist& playlist);

// For the bar below the picture; nothing while no export runs.
std::optional<ShownProgress> shown_progress(const ExportQueue& queue);

// Starts the next export, and reports finished ones as toasts. Call it once per redraw.
void poll_exports(ExportPanel& panel);

enum class PictureTo : std::uint8_t { file, clipboard };
// Saves that side of the shown frame to a file in the video's folder, in full depth, or copies it.
void save_picture(ExportPanel& panel, const Playing& playing, Side side,
                  PictureTo to = PictureTo::file);

// Saves the window's pixels if they are wanted, or a part of them: call it after drawing, before
// the swap.
void take_window_shot(ExportPanel& panel, const Playing& playing, const Window& window,
                      const std::optional<Rect>& part);

}  // namespace weft
