// Clamps samples to the bit depth of their pixel format.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Clamps samples to the largest value of `frame`'s format, if 9 to 15 bits are stored in two bytes.
// Filters and encoders rely on that range; damaged 10-bit H.264 and raw video with other bits set
// violate it. Frames without such samples, or on a device, are unchanged; buffers with other
// references are copied first. Throws MediaError.
void limit_samples(AVFrame& frame);

}  // namespace weft
