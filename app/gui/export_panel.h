// Export: the filtered video, what the compare view shows as a video, and single pictures.
#pragma once

#include <optional>
#include <string>

#include "app/gui/window.h"
#include "app/viewer/export_job.h"
#include "app/viewer/frame_export.h"
#include "app/viewer/view_state.h"

namespace weft {

struct Gui;

// What the panel remembers, and the threads that do its work.
struct ExportPanel {
    std::string output;
    std::string proposed_for;  // the input that `output` was made up for
    bool part_only = false;    // between A and B
    bool compared = false;
    bool lossless = false;
    bool keep_damaged = false;
    float crf = 0;                         // 0: the encoder's own
    std::optional<ExportRefusal> refusal;  // of the last attempt
    std::string extension = "png";         // of single pictures
    bool window_shot_wanted = false;
    bool told = true;  // the last export's end
    ExportJob job{Window::wake};
    ShotSaver shots{Window::wake};
};

void draw_export(Gui& gui);

// Tells by toasts what has been finished. Once a redraw.
void tend_exports(Gui& gui);

// The shown picture of that side into a file beside the video, in full depth.
void save_picture(Gui& gui, Side side);

// The whole window, as it is drawn next.
void save_window(Gui& gui);

// Reads the window's pixels if save_window() asked for them: after drawing, before the swap.
void take_window_shot(Gui& gui);

}  // namespace weft
