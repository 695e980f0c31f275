// The bar below the picture has the motion, the timeline, the buttons, the position and the sound.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/panels/playing.h"
#include "app/gui/widgets/thumbnail_image.h"
#include "app/gui/window/window.h"
#include "app/viewer/play/drop_notice.h"
#include "app/viewer/play/motion_search.h"
#include "app/viewer/play/playlist.h"
#include "app/viewer/play/thumbnails.h"
#include "app/viewer/shell/toasts.h"

namespace weft {

// The selected region of the picture, if it moves, in seconds of the player.
struct RegionMarks {
    std::vector<double> drawn = {};                         // frames in which it was drawn by hand
    std::vector<std::pair<double, double>> present = {};    // where it has a box
    std::vector<std::pair<double, double>> uncertain = {};  // where it was not found for certain
    std::uint32_t colour = 0;                               // as ImGui packs colours
};

// State of the bar between redraws.
struct TransportBar {
    std::shared_ptr<const MediaInfo> media;  // the source of the thumbnails
    Thumbnails thumbnails{Window::wake};
    ThumbnailTextures textures;  // for thumbnails that were hovered over
    // Seconds, while the timeline is dragged: under the mouse, and of the last seek.
    std::optional<double> dragged_to, sought;
    DropNotice drops;
    RegionMarks regions;
    MotionSearch motion{Window::wake};  // shown above the timeline from its start until its cancel
};

// The progress of a running export, in words of its own: "Export 34 %".
struct ShownProgress {
    std::optional<double> fraction;
    std::string words, help;
};

// `progress` is drawn at the right end, if there is any. True if it was clicked.
bool draw_transport(TransportBar& bar, Playing& playing, Playlist& playlist, Toasts& toasts,
                    const std::optional<ShownProgress>& progress, const WindowLayout& layout);
// In the bar.
void draw_timeline(TransportBar& bar, Playing& playing, float scale);

// Searches the open film for motion, or hides the result.
void toggle_motion(TransportBar& bar, const Playing& playing);
// Goes to the beginning of the next event, or of the previous one.
void go_to_motion(TransportBar& bar, Playing& playing, Toasts& toasts, bool forwards);

// Sets A at the shown frame, then B, then clears both.
void mark_loop(Playing& playing);

// Requests the file `by` places further in the playlist, or back; shows a note at its ends.
void open_neighbour(Playlist& playlist, Toasts& toasts, int by);

}  // namespace weft
