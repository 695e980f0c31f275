// A packet of an encoder as plain bytes, to be kept in a file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/media/ffmpeg.h"

namespace weft {

// Data, times, the flags that encoders set and the side data that muxers read. The stream index and
// the time base are left out.
std::vector<std::uint8_t> packet_bytes(const AVPacket& packet);

// The packet again, with padding after its data. Trusts none of the bytes: every field is checked.
// Throws MediaError(failed) for bytes that packet_bytes() does not make.
AVPacketPtr packet_from(std::span<const std::uint8_t> bytes);

}  // namespace weft
