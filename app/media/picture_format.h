// What must be one thing throughout a file: the picture's size, what its samples mean, how it is
// shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/ffmpeg.h"

namespace weft {

// As it counts for converters and players: what a frame leaves open stands at what is taken for it.
struct PictureFormat {
    int width = 0;
    int height = 0;
    AVPixelFormat pixels = AV_PIX_FMT_NONE;  // where they lie and their range do not count
    bool full_range = false;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
    AVRational aspect{1, 1};  // of the whole picture on the screen, in lowest terms
    bool interlaced = false;
};

PictureFormat picture_format(const AVFrame& frame);

// `now` with the tags of `before` where it has none.
PictureFormat with_tags_of(const PictureFormat& before, PictureFormat now);

// Whether YUV samples reach from 0 to the highest value; RGB's always do.
bool is_full_range(const AVFrame& frame);

// The matrix between YUV and RGB: BT.709 from 720 lines up and BT.601 below where the frame does
// not say, as in mpv.
AVColorSpace matrix_of(const AVFrame& frame);

// What can change in mid-stream.
enum class Property : std::uint8_t {
    // Of the samples: they can be converted.
    size,
    pixel_format,
    colour_range,
    colour_matrix,
    // Of the output file, which holds one.
    display_aspect,
    primaries,
    transfer,
    // Of no consequence here.
    scan,
    sample_rate,
    channels,
};

// "size", "pixel format", … as they stand in sentences.
std::string_view property_name(Property property);

// A property that differs, with its values as text.
struct Difference {
    Property property;
    std::string from, to;
};

// In the order of Property. A tag that is not there differs from none.
std::vector<Difference> differences(const PictureFormat& from, const PictureFormat& to);

// "the size changes from 320x180 to 640x360".
std::string change_text(const Difference& difference);

}  // namespace weft
