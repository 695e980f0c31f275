// Sizes that are refused before anything is allocated for them.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/ffmpeg.h"
#include "app/media/reader.h"

namespace weft {

// Throws MediaError(failed), naming the limit, if a frame of this size is over it.
void check_size(std::int64_t width, std::int64_t height, const ReaderLimits& limits,
                const std::string& path);

// Throws MediaError(damaged) for a PNG whose header promises more pixels than its bytes can hold,
// (failed) for one over the limits.
void check_png(const AVPacket& packet, const ReaderLimits& limits, const std::string& path);

}  // namespace weft
