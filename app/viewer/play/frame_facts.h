// Properties of one frame, from its decoder and its file, as text for the Inspector.
#pragma once

#include <vector>

#include "app/media/metadata/side_data.h"
#include "app/media/picture/frame.h"
#include "app/viewer/play/media_info.h"

namespace weft {

// FrameFacts holds texts for people, whereas FrameInfo holds the values that filters need.
struct FrameFacts {
    std::vector<Fact> frame;      // picture type, timestamp, fields
    std::vector<Fact> colour;     // tags by ffprobe's names, and the shape of a pixel
    std::vector<Fact> side_data;  // see facts()
};

// `media` describes the frame's file: its side data holds for all its frames.
FrameFacts frame_facts(const Frame& frame, const MediaInfo& media);

}  // namespace weft
