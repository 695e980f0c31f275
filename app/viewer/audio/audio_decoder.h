// Decodes a file's audio to stereo samples, starting at any time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/demux/demuxer.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

struct AudioChunk {
    double seconds = 0;         // timestamp of the first sample, in file time
    std::vector<float> stereo;  // interleaved, at kAudioRate
};

// Used by one thread; blocks on reading and decoding.
class AudioDecoder {
 public:
    // Opens the file's best audio stream. Throws MediaError if no stream can be decoded.
    explicit AudioDecoder(const std::string& path);

    // next() continues with the chunk that contains `seconds`, or one slightly earlier.
    void seek(double seconds);
    // nullopt at the end. Skips errors inside the stream. Throws MediaError on I/O errors.
    std::optional<AudioChunk> next();

 private:
    void open();
    AVStream& stream() const { return *demuxer_->context().streams[stream_index_]; }
    bool send_packet();
    void set_up_converter(const AVFrame& frame);
    std::optional<AudioChunk> convert(const AVFrame& frame);

    ReaderOptions options_;
    std::unique_ptr<Demuxer> demuxer_;
    int stream_index_ = 0;
    CodecContextPtr codec_;
    SwrContextPtr converter_;
    int source_rate_ = 0;
    int source_format_ = -1;
    int source_channels_ = 0;
    bool draining_ = false;
    double wanted_ = 0;  // chunks that end earlier are dropped
    double next_seconds_ = 0;
};

}  // namespace weft
