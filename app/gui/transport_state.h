// What the transport bar remembers between two redraws.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "app/gui/gl_objects.h"
#include "app/viewer/media_info.h"
#include "app/viewer/thumbnails.h"

namespace weft {

struct TransportState {
    std::shared_ptr<const MediaInfo> media;      // whose thumbnails are made
    std::map<ThumbnailPtr, GlTexture> textures;  // of those that were hovered over
    std::optional<double> dragged_to;            // seconds, while the timeline is dragged
};

}  // namespace weft
