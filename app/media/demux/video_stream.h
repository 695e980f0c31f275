// Finds the video stream and the rotation that players apply to it.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Index of the video stream that ffmpeg would pick: the largest picture, default streams first,
// never a cover or a thumbnail. Throws MediaError(failed) if the file has no video.
int find_video_stream(const AVFormatContext& context, const std::string& path);

// How players transform a picture: mirror first (if set), then rotate.
struct DisplayTurn {
    int degrees = 0;        // clockwise: 0, 90, 180 or 270
    bool mirrored = false;  // left and right change places
    bool slanted = false;   // not a multiple of 90 degrees: `degrees` is the nearest
};

// From a display matrix (nine numbers in libav's layout).
DisplayTurn display_turn_of(const std::int32_t* matrix);

// From the stream's display matrix, else the first frame's (EXIF), else no rotation.
DisplayTurn display_turn_of(const AVStream& stream, const AVFrame& first_frame);

// Whether the stream's or the frame's display matrix mirrors; take_mirroring() leaves the rotation
// alone in it, for pixels that are mirrored here. False without a matrix.
bool mirrors(const AVStream& stream);
bool take_mirroring(AVStream& stream);
bool take_mirroring(AVFrame& frame);

bool is_interlaced(const AVStream& stream, const AVFrame& first_frame);

}  // namespace weft
