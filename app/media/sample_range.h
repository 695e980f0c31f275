// Keeps samples within the bits of their pixel format.
#pragma once

#include "app/media/ffmpeg.h"

namespace weft {

// Limits samples above the largest value of `frame`'s format, where a sample of 9 to 15 bits is in
// two bytes. Filters and encoders rely on that range; damaged H.264 of 10 bits and raw video with
// other bits set break it. A frame without such samples, or on a device, stays as it is; buffers
// that others refer to are copied before they change. Throws MediaError.
void limit_samples(AVFrame& frame);

}  // namespace weft
