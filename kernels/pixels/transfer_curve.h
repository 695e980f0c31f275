// Transfer functions as tables of lines, which give the same bits on every device.
#pragma once

#include <cstdint>
#include <vector>

#include "filters/frame_info.h"

namespace weft {

// An odd, increasing function through the origin: lines between nodes that divide each octave
// evenly, a line to the origin below the first node, and the last line from there on.
struct Curve {
    std::uint32_t first = 0;  // the bits of the first node's place
    int shift = 0;            // the nodes are 2^shift apart in the bits of their places
    // For x >= 0: a and b of a + b x, of the line to the origin and of those after it. Empty: the
    // function is x itself.
    std::vector<float> lines;
};

// The light of a value, for values up to 4, where 1 is the frame's white: linear light from 0 to 1
// by ITU-T H.273, table 3. PQ's light of 1 is 10,000 cd/m², and above it
// PQ continues with its slope there. Empty for light that is stored as it
// is. The lines lie 512 to an octave. Throws std::invalid_argument for unspecified and other.
Curve to_light(TransferFunction transfer);

// The inverse, for light up to 16: 256 lines to an octave, from 2^-40 on, so that the value of a
// light errs by at most 2 millionths of itself.
Curve from_light(TransferFunction transfer);

}  // namespace weft
