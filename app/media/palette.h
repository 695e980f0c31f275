// 256 colours for a GIF frame.
#pragma once

#include "app/media/ffmpeg.h"

namespace weft {

// The BGRA `frame` as PAL8: exact where it has at most 255 colours (256 without transparency), else
// a palette by median cut over colours weighted by their count, and Floyd-Steinberg diffusion of
// the error. Pixels with alpha below 128 become the one transparent entry. Properties are copied.
// Throws MediaError.
AVFramePtr to_palette(const AVFrame& frame);

}  // namespace weft
