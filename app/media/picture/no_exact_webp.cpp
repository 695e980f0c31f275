// Replaces exact_webp.cpp in builds without libwebp's header.
#include <fmt/format.h>

#include "app/media/picture/exact_webp.h"

namespace weft {

AVPacketPtr encode_exact_webp(AVCodecContext& /*context*/, const AVFrame& /*frame*/,
                              const std::string& path) {
    throw MediaError(Outcome::failed,
                     fmt::format("{}: has colours under fully transparent pixels, which FFmpeg's "
                                 "lossless WebP makes black: write a PNG, or install libwebp-dev "
                                 "and build again",
                                 path));
}

}  // namespace weft
