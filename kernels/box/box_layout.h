// Everything that box_sum decides on the host: which taps are boxes, and how an image is cut into
// strips. No CUDA; internal to kernels/.
#pragma once

#include <string>

#include "kernels/box/box_args.h"
#include "kernels/common/conv_layout.h"

namespace weft {

// Arguments without their pointers, and the data for them.
struct BoxLayout {
    BoxArgs args;
    BorderTables borders;
    bool halves = false;  // column sums as pairs of 16 bits
    int blocks = 0;
    int shared_bytes = 0;
};

// Empty if the row can compute the problem's taps on its type of pixels, with the shared memory of
// the device. Otherwise the reason.
std::string why_not_box(const ConvProblem& problem, const Device& device);

// How the image is cut. Wide blocks compute few columns twice, high ones few rows.
struct BoxShape {
    int threads = 0;
    int strip = 0;
    int group_rows = 0;  // 32 or 16, the most that shared memory holds
};

// Picks the least estimated time among the shapes that the device can launch.
BoxShape choose_box_shape(const ConvProblem& problem, const Device& device);

BoxLayout lay_out_box(const ConvProblem& problem, const BoxShape& shape);

}  // namespace weft
