// Decoders of formats whose headers promise any size: the promise is compared with the packet.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/log_watch.h"

namespace weft {

// A decoder's watch that refuses memory for frames that the packet at work cannot hold. For codecs
// with has_expansion_limit().
class GuardedDecoding : public LogWatch {
 public:
    // As LogWatch: outlives the codec context. Call before the codec is opened; the context decodes
    // on no frame threads.
    explicit GuardedDecoding(AVCodecContext& codec);

    // Before each packet.
    void begin(std::int64_t packet_bytes) { packet_bytes_ = packet_bytes; }
    // After each call of the decoder: throws MediaError(damaged) if memory was refused.
    void check(const std::string& path) const;

 private:
    static int get_buffer(AVCodecContext* codec, AVFrame* frame, int flags);

    AVCodecID codec_;
    std::int64_t packet_bytes_ = 0;
    // The size that was refused; slice threads do not ask for memory.
    int width_ = 0;
    int height_ = 0;
};

}  // namespace weft
