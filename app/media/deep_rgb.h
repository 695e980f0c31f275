// The range of RGB with more than 8 bits, as libswscale has it.
#pragma once

#include "app/media/ffmpeg.h"

namespace weft {

// Between YUV and RGB of more than 8 bits libswscale counts RGB as 8-bit values with bits below the
// point: its white is 255·2^(depth-8), 0.4 % below 2^depth - 1. (Measured: 5.1; RGB to RGB is
// right.)
bool has_low_white(AVPixelFormat format);

// From libswscale's range to the whole one, rounded. Alpha stays. `frame` is writable and its
// format has_low_white().
void raise_white(AVFrame& frame);

// A copy in libswscale's range, for conversion to YUV. Throws MediaError when memory ends.
AVFramePtr lower_white(const AVFrame& frame);

}  // namespace weft
