// Processes one source stream's packets on their way into the output.
#pragma once

#include <cstdint>
#include <functional>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Receives packets whose timestamps are in `time_base`.
using TimedPacketSink = std::function<void(AVPacketPtr, AVRational time_base)>;

class StreamHandler {
 public:
    StreamHandler() = default;
    virtual ~StreamHandler() = default;
    StreamHandler(const StreamHandler&) = delete;
    StreamHandler& operator=(const StreamHandler&) = delete;

    // Takes one source packet and passes on zero or more packets.
    virtual void write(AVPacketPtr packet, const TimedPacketSink& sink) = 0;
    // Passes on buffered packets.
    virtual void finish(const TimedPacketSink&) {}
    // The number of packets that could not be decoded.
    virtual std::int64_t damaged_packets() const { return 0; }
};

}  // namespace weft
