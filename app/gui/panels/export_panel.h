// Export: the filtered video, the compare view as a video, and single pictures.
#pragma once

#include <optional>
#include <string>

#include "app/gui/window/window.h"
#include "app/viewer/export/export_job.h"
#include "app/viewer/export/frame_export.h"
#include "app/viewer/view/view_state.h"

namespace weft {

struct Gui;

// State of the panel, and the threads that do its work.
struct ExportPanel {
    std::string output;
    std::string proposed_for;  // the input that `output` was proposed for
    bool part_only = false;    // from A to B
    bool compared = false;
    bool lossless = false;
    bool keep_damaged = false;
    float crf = 0;                         // 0: the encoder's default
    std::optional<ExportRefusal> refusal;  // from the last attempt
    std::string extension = "png";         // for single pictures
    bool window_shot_wanted = false;
    bool reported = true;  // the end of the last export
    ExportJob job{Window::wake};
    ShotSaver shots{Window::wake};
};

// Reports finished exports as toasts. Call it once per redraw.
void tend_exports(Gui& gui);

// Saves that side of the shown frame to a file in the video's folder, in full depth.
void save_picture(Gui& gui, Side side);

// Saves the whole window as drawn next.
void save_window(Gui& gui);

// Reads the window's pixels if save_window() requested them: after drawing, before the swap.
void take_window_shot(Gui& gui);

}  // namespace weft
