// Finds the packets at which another decoder can take over a stream.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Whether no picture from this packet of `codec` on refers to a picture before it: IDR pictures of
// H.264 and HEVC, key frames of VP8 and VP9. Pictures displayed before its own may follow (HEVC's
// IDR_W_RADL). False if unknown.
bool is_closed_key(const AVPacket& packet, const AVCodecParameters& codec);

}  // namespace weft
