// Errors that libav's decoders write to the log and tell nobody else.
#pragma once

#include <atomic>
#include <cstdint>

#include "app/media/ffmpeg.h"

namespace weft {

// Counts, while it lives, the messages of one decoder that mean a broken picture: any error of a
// codec whose pictures stand alone (a GIF whose LZW breaks, an FFV1 slice with a wrong checksum, a
// JPEG with a bad code are returned as good), and concealment of the others. libav's own flags
// get lost when H.264 is decoded by several threads and the picture leaves through another one
// than decoded it (5.1).
//
// The first watch installs the process's one av_log callback, which counts and then does what
// libav's default does: av_log_set_level() works as ever, av_log_set_callback() would blind it.
class LogWatch {
 public:
    // Takes codec.opaque. The watch outlives the codec context, whose threads log through it.
    explicit LogWatch(AVCodecContext& codec);
    virtual ~LogWatch();
    LogWatch(const LogWatch&) = delete;
    LogWatch& operator=(const LogWatch&) = delete;

    std::int64_t errors() const { return errors_.load(std::memory_order_relaxed); }

    // For the callback: a message of this level and text.
    void message(int level, const char* format);

 private:
    bool stands_alone_;
    std::atomic<std::int64_t> errors_ = 0;
};

}  // namespace weft
