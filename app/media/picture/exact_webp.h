// Lossless WebP that keeps the colors under fully transparent pixels.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// The BGRA frame as the file that libav's libwebp encoder, opened as `context`, would make of it,
// with its hidden colors: that encoder has no option for libwebp's `exact` and makes them black,
// also in the frame. Throws MediaError(failed) if it cannot be encoded, in builds without libwebp
// always.
AVPacketPtr encode_exact_webp(AVCodecContext& context, const AVFrame& frame,
                              const std::string& path);

}  // namespace weft
