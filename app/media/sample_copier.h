// Moves samples between pixel formats that hold the same values in different places.
#pragma once

#include "app/media/ffmpeg.h"

namespace weft {

// Whether copy_samples() takes the pair: is_exact(), and both formats have whole bytes a sample
// with the value in the low bits (either byte order).
bool can_copy_samples(AVPixelFormat from, AVPixelFormat to);

// A frame in format `to` with `frame`'s values and properties. Missing chroma becomes neutral,
// missing alpha opaque. libswscale is no way to get there: it compresses the range of ya16 and has
// no input for nv16. About 1 ns a sample. Throws MediaError.
AVFramePtr copy_samples(const AVFrame& frame, AVPixelFormat to);

}  // namespace weft
