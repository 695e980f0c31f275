// How the picture of an AVIF file is to be turned and cropped (ISO/IEC 23008-12, 6.5).
#pragma once

#include "app/media/demux/input_file.h"

namespace weft {

struct HeifProperties {
    int orientation = 1;  // as EXIF's: 1 (upright) to 8
    bool cropped = false;
};

// Those in the file, which a picture and its alpha share; none for other kinds of files. libav
// ignores them.
HeifProperties read_heif_properties(const InputFile& file);

}  // namespace weft
