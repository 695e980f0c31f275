// Copies and clamps the samples of frames.
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

// Clamps samples to the largest value of `frame`'s format, if 9 to 15 bits are stored in two bytes.
// Filters and encoders rely on that range; damaged 10-bit H.264 and raw video with other bits set
// violate it. Frames without such samples, or on a device, are unchanged; buffers with other
// references are copied first. Throws MediaError.
void limit_samples(AVFrame& frame);

// Makes the colors of fully transparent pixels black, in a packed format whose alpha comes last;
// other formats are unchanged. Buffers with other references are copied first. Returns whether any
// color has changed. Throws MediaError.
bool clear_hidden_colors(AVFrame& frame);

}  // namespace weft
