// The properties that must stay constant throughout a file: the frame's size, the meaning of its
// samples, how it is displayed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// A FrameFormat describes a frame as players display it, whereas a FrameInfo describes it to
// filters. Properties that the frame leaves unspecified have the value that players assume.
struct FrameFormat {
    int width = 0;
    int height = 0;
    AVPixelFormat pixels = AV_PIX_FMT_NONE;  // ignores the memory they are in and their range
    bool full_range = false;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
    AVRational aspect{1, 1};  // the whole displayed picture's, in lowest terms
    bool interlaced = false;
};

FrameFormat frame_format(const AVFrame& frame);

// `now` with the tags of `before` where its own are missing.
FrameFormat with_tags_of(const FrameFormat& before, FrameFormat now);

// Whether YUV samples use the range from 0 to the highest value; RGB samples always do.
bool is_full_range(const AVFrame& frame);

// The matrix between YUV and RGB. Untagged frames: BT.709 from 720 lines up and BT.601 below, as in
// mpv.
AVColorSpace matrix_of(const AVFrame& frame);

// The properties that can change in mid-stream.
enum class Property : std::uint8_t {
    // Properties of the samples, which can be converted.
    size,
    pixel_format,
    colour_range,
    colour_matrix,
    // A file stores these only once.
    display_aspect,
    primaries,
    transfer,
    // Changes of these need no action.
    scan,
    sample_rate,
    channels,
};

// The name for messages: "size", "pixel format", …
std::string_view property_name(Property property);

// A differing property, with its values as text.
struct Difference {
    Property property;
    std::string from, to;
};

// In the order of Property. A missing tag is not a difference.
std::vector<Difference> differences(const FrameFormat& from, const FrameFormat& to);

// "the size changes from 320x180 to 640x360".
std::string change_text(const Difference& difference);

}  // namespace weft
