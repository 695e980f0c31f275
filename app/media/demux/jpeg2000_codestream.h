// The parts of the codestream of a JPEG 2000 file (ITU-T T.800, Annexes A and I).
#pragma once

#include <cstdint>
#include <string>

#include "app/media/demux/input_file.h"

namespace weft {

struct Jpeg2000Codestream {
    bool whole = false;    // up to its end marker
    std::int64_t end = 0;  // after the end marker, or where the codestream breaks off
    std::string problem;   // one sentence; empty if none was found
};

// Follows the markers and the sizes of the tiles, without their codes. Finds neither a problem nor
// an end in other files. Throws MediaError on I/O errors.
Jpeg2000Codestream read_jpeg2000_codestream(const InputFile& file);

}  // namespace weft
