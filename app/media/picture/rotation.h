// Rotates pixels for containers that cannot store a display matrix.
#pragma once

#include <cstdint>
#include <optional>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// How a player transforms a picture: transpose first (if set), then mirror. One of the eight ways
// to map a rectangle to itself.
struct Turn {
    bool transpose = false;  // x and y change places
    bool mirror_x = false;   // then left and right
    bool mirror_y = false;   // then top and bottom

    bool is_identity() const { return !transpose && !mirror_x && !mirror_y; }
    bool operator==(const Turn&) const = default;
};

// Clockwise by 0, 90, 180 or 270 degrees.
Turn turn_by(int clockwise_degrees);

// The turn of libav's 3x3 display matrix; nullopt if it rotates by other angles or shears.
std::optional<Turn> turn_of(const std::int32_t* display_matrix);

// Returns a clause such as "turned 90 degrees clockwise" or "mirrored".
const char* describe(const Turn& way);

// Returns a frame of the same format with the pixels moved; width and height and the sample aspect
// ratio are swapped as needed, and display matrix side data is removed. Throws MediaError for
// formats whose chroma is subsampled differently in x and y (if the turn transposes), or whose
// pixels are not whole bytes: convert to can_transpose formats first.
AVFramePtr reorient(const AVFrame& frame, const Turn& way);

// Whether reorient() accepts the format for every turn.
bool can_transpose(AVPixelFormat format);

// The format of the same depth and alpha without chroma subsampling, for such formats; NONE if
// libav has no such format.
AVPixelFormat without_subsampling(AVPixelFormat format);

}  // namespace weft
