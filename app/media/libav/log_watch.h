// Errors that libav's decoders and encoders report only in the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Counts, during its lifetime, the messages of one decoder that mean a broken frame: any error of
// a codec whose pictures are independent (a GIF whose LZW breaks, an FFV1 slice with a wrong
// checksum, a JPEG with a bad code are returned as good), and concealment by the others. libav's
// own flags get lost when H.264 is decoded by several threads and the frame is returned by
// another one than decoded it (5.1).
//
// The first watch or trap installs the process's only av_log callback, which counts and then calls
// libav's default one: av_log_set_level() still works, av_log_set_callback() would disable it.
class LogWatch {
 public:
    // Uses codec.opaque. The watch outlives the codec context, whose threads log through it.
    explicit LogWatch(AVCodecContext& codec);
    virtual ~LogWatch();
    LogWatch(const LogWatch&) = delete;
    LogWatch& operator=(const LogWatch&) = delete;

    std::int64_t errors() const { return errors_.load(std::memory_order_relaxed); }
    // Whether a message reported that the decoder lacks a feature of the stream. Some decoders
    // report that only so, and return the error of broken data.
    bool lacks_feature() const { return lacks_feature_.load(std::memory_order_relaxed); }

    // Whether the GPU had no surface left to decode to.
    bool lacks_surfaces() const { return lacks_surfaces_.load(std::memory_order_relaxed); }

    // Wraps each call of the decoder: JPEG-LS logs without naming its decoder, so its messages are
    // matched by thread, which is the caller's.
    class Call {
     public:
        explicit Call(LogWatch& watch) : watch_(watch) {
            watch_.caller_ = std::this_thread::get_id();
        }
        ~Call() { watch_.caller_ = std::thread::id(); }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

     private:
        LogWatch& watch_;
    };

    // Whether a decoder thread that logged something had run out of memory by then: H.264 reports
    // that as a broken frame, and the caller sees neither the thread nor its errno.
    bool is_short_of_memory() const { return short_of_memory_.load(std::memory_order_relaxed); }

    // For the callback: a message of this level and text, logged with this errno.
    void message(int level, const char* format, int error);
    // Whether a message of the current thread that names no decoder is from this one.
    bool is_called() const { return nameless_ && caller_ == std::this_thread::get_id(); }

 private:
    bool stands_alone_;
    bool nameless_;  // logs without its codec context
    std::atomic<std::thread::id> caller_;
    std::atomic<std::int64_t> errors_ = 0;
    std::atomic<bool> short_of_memory_ = false;
    std::atomic<bool> lacks_feature_ = false;
    std::atomic<bool> lacks_surfaces_ = false;
};

// Keeps errors that libav logs on this thread during its lifetime: why an encoder does not start,
// and parameters that are unknown to the encoder's library, which libav logs and ignores. The
// objects of one thread must not overlap.
class LoggedErrors {
 public:
    LoggedErrors();
    ~LoggedErrors();
    LoggedErrors(const LoggedErrors&) = delete;
    LoggedErrors& operator=(const LoggedErrors&) = delete;

    // These are without the line break, and empty if nothing was logged.
    const std::string& first() const { return first_; }
    const std::string& of_option() const { return of_option_; }

    // The callback passes each message here, with its level.
    void message(int level, std::string_view text);

 private:
    std::string first_;
    std::string of_option_;
};

}  // namespace weft
