// Lossless conversion from every pixel format to a native one (is_native_format).
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// The native format that holds every value of `format`: `format` itself if it is native, else one
// with the same components, chroma size and depth in plain samples (p010 -> yuv420p10, yuyv422 ->
// yuv422p, rgb48be -> rgb48le, x2rgb10 -> gbrp10). Components of less than 8 bits are scaled to
// 0..255 (rgb565, monochrome). A palette becomes rgba or, with `opaque_palette`, rgb24.
// AV_PIX_FMT_NONE if no native format can hold it: XYZ, Bayer, hardware surfaces, half floats.
AVPixelFormat native_target(AVPixelFormat format, bool opaque_palette = false);

// Whether every pixel of this pal8 frame uses a palette entry with full alpha.
bool palette_is_opaque(const AVFrame& frame);

// Returns a new frame in the native format `target` with `frame`'s values, tags and side data; no
// sample loses a bit. Throws MediaError naming the format if no conversion exists. Takes about 1.5
// ns per sample: only for formats that common video decoders do not return.
AVFramePtr unpack(const AVFrame& frame, AVPixelFormat target);

}  // namespace weft
