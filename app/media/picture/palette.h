// Reduces GIF frames to 256 colours.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Converts the BGRA `frame` to PAL8: exactly if it has at most 255 colours (256 without
// transparency), else by median cut over colours weighted by their count, with Floyd-Steinberg
// error diffusion. Pixels with alpha below 128 become the one transparent entry. Properties are
// copied. Throws MediaError.
AVFramePtr to_palette(const AVFrame& frame);

}  // namespace weft
