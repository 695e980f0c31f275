// Compares the size that a picture's header promises with its packet, for formats that allow any
// size.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/libav/log_watch.h"

namespace weft {

// A LogWatch that refuses memory for frames that the current packet cannot hold. For codecs with
// has_expansion_limit().
class GuardedDecoding : public LogWatch {
 public:
    // As LogWatch: outlives the codec context. Call before the codec is opened; the context decodes
    // on no frame threads.
    explicit GuardedDecoding(AVCodecContext& codec);

    // Call before each packet.
    void begin(std::int64_t packet_bytes) { packet_bytes_ = packet_bytes; }
    // Call after each call of the decoder: throws MediaError(damaged) if memory was refused.
    void check(const std::string& path) const;

 private:
    static int get_buffer(AVCodecContext* codec, AVFrame* frame, int flags);

    AVCodecID codec_;
    std::int64_t packet_bytes_ = 0;
    // The refused size; slice threads do not allocate.
    int width_ = 0;
    int height_ = 0;
};

}  // namespace weft
