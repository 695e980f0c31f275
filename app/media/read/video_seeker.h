// Decodes a file's video from any point on and keeps the file open between seeks.
#pragma once

#include <cstdint>
#include <optional>

#include "app/media/read/frame_maker.h"
#include "app/media/read/reader.h"
#include "app/media/read/seeking_decoder.h"

namespace weft {

// Whether a key frame is after `from`, at or before `to`, so that a seek saves decoding. Nothing if
// the container lists no key frames after `from`.
std::optional<bool> lists_key_between(AVStream& video, std::int64_t from, std::int64_t to);

// A Reader for players: the same frames with the same times, but no other streams and no damage
// report. Blocks on reading and decoding; not thread-safe.
class VideoSeeker {
 public:
    // Opens the file; ignores start_us and end_us of the options. Throws MediaError as Reader does.
    explicit VideoSeeker(ReaderOptions options);

    // Continues next() at a key frame at or before `pts`, with the same frames that a Reader
    // decodes from the beginning. False if no such key frame is found: then read the file from its
    // beginning with a Reader; seek() may be tried again.
    bool seek(std::int64_t pts);
    // The next frame; nothing at the end, or before a successful seek(). Frame::index is 0. Throws
    // MediaError on I/O errors.
    std::optional<Frame> next();
    const AVFormatContext& source() const { return source_.demuxer().context(); }
    // The unit of Frame::pts.
    AVRational time_base() const { return source_.video().time_base; }

 private:
    bool seek_and_decode(std::int64_t timestamp);
    std::optional<Frame> decode();
    bool send_packet();

    ReaderOptions options_;
    SeekingDecoder source_;
    std::optional<FrameMaker> maker_;  // created by each seek
    bool draining_ = true;
    std::optional<Frame> pending_;  // decoded by seek(), not yet delivered
};

}  // namespace weft
