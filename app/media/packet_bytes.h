// A packet of an encoder as plain bytes, to be kept in a file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/media/ffmpeg.h"

namespace weft {

// Data, times, flags and side data. The stream index and the time base are left out.
std::vector<std::uint8_t> packet_bytes(const AVPacket& packet);

// The packet again. Throws MediaError(failed) for bytes that are none.
AVPacketPtr packet_from(std::span<const std::uint8_t> bytes);

}  // namespace weft
