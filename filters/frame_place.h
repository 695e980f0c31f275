// Where a frame is in its film.
#pragma once

#include <cstdint>

namespace weft {

// A frame's place in its film, from the film's beginning: -ss, parts and --resume change nothing.
struct FramePlace {
    std::int64_t number = 0;  // 0 is the first frame
    double seconds = 0;       // on the clock of -ss and -to
    double duration = 0;      // seconds until the next frame; 0 if unknown
};

}  // namespace weft
