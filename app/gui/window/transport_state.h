// State of the transport bar between redraws.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "app/gui/picture/gl_objects.h"
#include "app/viewer/play/media_info.h"
#include "app/viewer/play/thumbnails.h"

namespace weft {

struct TransportState {
    std::shared_ptr<const MediaInfo> media;      // the source of the thumbnails
    std::map<ThumbnailPtr, GlTexture> textures;  // for thumbnails that were hovered over
    std::optional<double> dragged_to;            // seconds, while the timeline is dragged
};

}  // namespace weft
