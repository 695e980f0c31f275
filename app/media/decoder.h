// The one decoder of a Reader: packets in, pictures out, errors counted rather than fatal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/media/ffmpeg.h"
#include "app/media/log_watch.h"
#include "app/media/reader.h"

namespace weft {

class Decoder {
 public:
    // VP8 and VP9 with alpha are decoded by libvpx, which alone sees it. Throws MediaError(failed)
    // if there is no decoder, or the stream's frames exceed the limits.
    Decoder(const AVStream& stream, bool is_image, const ReaderOptions& options);

    // Hands a packet over; call receive() until it returns null before the next one.
    // Throws MediaError(damaged), before anything is allocated, for a PNG whose header promises
    // more pixels than its bytes can hold, (failed) for one over the limits.
    void send(const AVPacket& packet);
    // No more packets: the pictures held back come out of receive().
    void send_end();
    // The next picture in display order, or null: more packets are wanted, or all is out.
    AVFramePtr receive();
    // Forgets all pictures, for packets from elsewhere in the file. Also ends send_end().
    void flush() { avcodec_flush_buffers(codec_.get()); }
    // Takes from a packet what it says of the whole stream: no picture comes of it, no error
    // counts.
    void learn(const AVPacket& packet);
    // Gives back what libav's decoder keeps, its last picture among it. No more send or receive.
    void close() { codec_.reset(); }

    // Calls of the decoder that failed so far, and errors that it only logs.
    std::int64_t errors() const { return errors_ + log_->errors() - forgiven_; }
    const std::vector<std::string>& notes() const { return notes_; }

 private:
    void count(int result, const char* doing);

    std::unique_ptr<LogWatch> log_;  // outlives codec_
    CodecContextPtr codec_;
    std::string path_;
    ReaderLimits limits_;
    std::int64_t errors_ = 0;
    std::int64_t forgiven_ = 0;  // of learn()
    std::vector<std::string> notes_;
};

// Throws MediaError(failed), naming the limit, if a frame of this size is over it.
void check_size(std::int64_t width, std::int64_t height, const ReaderLimits& limits,
                const std::string& path);

}  // namespace weft
