// A place in a video at which decoding can begin.
#pragma once

#include <cstdint>

namespace weft {

// A key frame from which a decoder makes the same frames as from the beginning of the file.
struct ClosedKey {
    std::int64_t pts = 0;    // of its packet, in the stream's ticks
    std::int64_t frame = 0;  // its number among the frames that the Reader delivers

    bool operator==(const ClosedKey&) const = default;
};

}  // namespace weft
