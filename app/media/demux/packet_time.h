// Packet timestamps.
#pragma once

#include <cstdint>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// The presentation time, or else the decoding time, in the stream's time base; AV_NOPTS_VALUE if
// neither is known.
inline std::int64_t packet_time(const AVPacket& packet) {
    return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
}

// The same in seconds, for messages; 0 if neither is known.
inline double packet_seconds(const AVPacket& packet, AVRational time_base) {
    const std::int64_t time = packet_time(packet);
    return time == AV_NOPTS_VALUE ? 0 : static_cast<double>(time) * av_q2d(time_base);
}

}  // namespace weft
