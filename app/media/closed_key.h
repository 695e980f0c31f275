// Where another decoder can take a stream over.
#pragma once

#include "app/media/ffmpeg.h"

namespace weft {

// Whether nothing from this packet of `codec` on refers to a picture before it: IDR pictures of
// H.264 and HEVC, key frames of VP8 and VP9. Pictures that are shown before its own may follow
// (HEVC's IDR_W_RADL). False where that is not known.
bool is_closed_key(const AVPacket& packet, const AVCodecParameters& codec);

}  // namespace weft
