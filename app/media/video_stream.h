// Which stream is the video, and how a player turns it.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/ffmpeg.h"

namespace weft {

// Index of the video stream that ffmpeg would pick: the largest picture, default streams first,
// never a cover or a thumbnail. Throws MediaError(failed) if there is none.
int find_video_stream(const AVFormatContext& context, const std::string& path);

struct DisplayTurn {
    int degrees = 0;  // clockwise turn that a player applies: 0, 90, 180 or 270
    bool mirrored = false;
    bool slanted = false;  // the matrix turns by something else than quarters: degrees is nearest
};

// Of a display matrix (nine numbers as libav keeps them).
DisplayTurn display_turn_of(const std::int32_t* matrix);

// From the stream's display matrix, else the first frame's (EXIF), else upright.
DisplayTurn display_turn_of(const AVStream& stream, const AVFrame& first_frame);

bool is_interlaced(const AVStream& stream, const AVFrame& first_frame);

}  // namespace weft
