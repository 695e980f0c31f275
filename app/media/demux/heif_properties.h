// How the picture of an AVIF file is stored, and how it is to be turned and cropped (ISO/IEC
// 14496-12, 8.11, and 23008-12, 6.5).
#pragma once

#include <string_view>

#include "app/media/demux/input_file.h"

namespace weft {

struct HeifProperties {
    int orientation = 1;  // as EXIF's: 1 (upright) to 8
    bool cropped = false;
    std::string_view unread;  // why libav cannot read it: "of several tiles"; empty if it can
};

// Reads the properties, which a picture and its alpha share, because libav ignores turns and crops.
// Returns the defaults for other kinds of files.
HeifProperties read_heif_properties(const InputFile& file);

}  // namespace weft
