// The false colours of a difference in a frame's own planes, for exports. The window's are drawn by
// heat() of app/gui/picture/picture_shader.cpp.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Gives each pixel of `out` the colour of gain · the largest of |right - left| in red, green and
// blue. A chroma sample is the mean of its pixels, alpha is opaque, and gray frames have the luma
// of the colours. All frames have the same format and size. HDR is compared without tone mapping.
void paint_false_colours(double gain, const AVFrame& left, const AVFrame& right, AVFrame& out);

}  // namespace weft
