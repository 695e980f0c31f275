// Which of FFmpeg's software decoders takes a stream.
#pragma once

#include <string>
#include <vector>

#include "app/media/ffmpeg.h"

namespace weft {

// VP8 and VP9 with alpha go to libvpx, which alone sees it; `notes` gets a sentence on that. Null
// where there is none.
const AVCodec* find_software_decoder(const AVStream& stream, std::vector<std::string>& notes);

}  // namespace weft
