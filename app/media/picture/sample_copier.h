// Copies samples between pixel formats that store the same values in different layouts.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Whether copy_samples() supports the pair: is_exact(), and both formats have whole bytes per
// sample with the value in the low bits (either byte order).
bool can_copy_samples(AVPixelFormat from, AVPixelFormat to);

// Returns a frame in format `to` with `frame`'s values and properties. Missing chroma becomes
// neutral, missing alpha opaque. libswscale cannot do this: it compresses the range of ya16 and
// cannot read nv16. Takes about 1 ns per sample. Throws MediaError.
AVFramePtr copy_samples(const AVFrame& frame, AVPixelFormat to);

}  // namespace weft
