// Selects FFmpeg's software decoder for a stream.
#pragma once

#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// VP8 and VP9 with alpha are decoded by libvpx, since no other decoder outputs the alpha; `notes`
// gets a sentence on that. Null if FFmpeg has no decoder.
const AVCodec* find_software_decoder(const AVStream& stream, std::vector<std::string>& notes);

}  // namespace weft
