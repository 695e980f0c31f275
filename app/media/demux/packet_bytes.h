// Serializes an encoder's packet for storage in a file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Data, timestamps, the flags that encoders set and the side data that muxers read. Omits the
// stream index and the time base.
std::vector<std::uint8_t> packet_bytes(const AVPacket& packet);

// Restores the packet, with padding after its data. The bytes are not trusted: every field is
// checked. Throws MediaError(failed) for bytes that packet_bytes() cannot produce.
AVPacketPtr packet_from(std::span<const std::uint8_t> bytes);

}  // namespace weft
