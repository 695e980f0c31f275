// The player and the frames that it has on the screen.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/viewer/play/player.h"
#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/shell/folder_listing.h"
#include "app/viewer/view/hdr.h"
#include "app/viewer/view/view_geometry.h"

namespace weft {

// Times of boxes and of motion are rounded, so a seek goes to this many seconds after one of them,
// which is inside its frame in any case.
inline constexpr double kIntoFrame = 5e-4;

struct Playing {
    explicit Playing(PlayerOptions options) : player(std::move(options)) {}

    Player player;
    PlayerStatus status;  // at the beginning of the redraw
    ShownFramePtr shown;  // null while there is no frame

    // Name of the open file without its folder, as text; "" if none is open.
    std::string file_name() const {
        if (!status.media) return "";
        return valid_utf8(std::filesystem::path(status.media->path).filename().string());
    }
    // While a video is open, but not for a still picture.
    bool has_timeline() const { return status.media && !status.media->still; }
    // How the shown frame is tone-mapped.
    HdrPicture hdr() const {
        if (!shown) return {};
        const AVFrame& frame = *shown->played.frame->av;
        return hdr_of(frame, completed(side_data_of(frame),
                                       status.media ? status.media->side_data : SideData{}));
    }
    // Rotated and stretched for display; nothing while no frame is shown.
    std::optional<DisplayShape> picture_shape() const {
        if (!shown) return std::nullopt;
        const double aspect = status.media ? status.media->sample_aspect : 0;
        return DisplayShape{shown->info.width, shown->info.height, aspect > 0 ? aspect : 1,
                            shown->info.rotation_degrees};
    }
};

}  // namespace weft
