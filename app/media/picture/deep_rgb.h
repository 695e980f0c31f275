// libswscale's range of RGB with more than 8 bits.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Converting between YUV and RGB of more than 8 bits, libswscale treats RGB as 8-bit values with
// fractional bits: its white is 255·2^(depth-8), 0.4 % below 2^depth - 1. (Measured: 5.1; RGB to
// RGB is right.)
bool has_low_white(AVPixelFormat format);

// Converts from libswscale's range to the full one, with rounding. Keeps alpha. `frame` is writable
// and has_low_white() holds for its format.
void raise_white(AVFrame& frame);

// A copy in libswscale's range, for conversion to YUV. Throws MediaError when memory runs out.
AVFramePtr lower_white(const AVFrame& frame);

}  // namespace weft
