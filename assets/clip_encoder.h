// Writes the sample clip: H.264 and AAC in the container given by the name's extension.
#pragma once

#include <cstdint>
#include <string>

#include <opencv2/core.hpp>

#include "app/media/libav/ffmpeg.h"

namespace weft::clip {

class Encoder {
 public:
    // Creates `path` and writes its header. Throws MediaError.
    explicit Encoder(const std::string& path);

    // Writes the next picture, 8-bit BGR of the clip's size, and its sound.
    void write(const cv::Mat& bgr);
    // Flushes, writes the trailer and closes. Throws MediaError: the file is then unusable.
    void finish();

 private:
    struct Track {
        CodecContextPtr codec;
        AVStream* stream = nullptr;  // in file_
    };

    Track open_video();
    Track open_audio();
    void add_stream(Track& track);
    void write_sound(std::int64_t until_sample);
    void encode(const Track& track, const AVFrame* frame);

    std::string path_;
    OutputContextPtr file_;
    Track video_;
    Track audio_;
    SwsContextPtr to_yuv_;
    std::int64_t pictures_ = 0;
    std::int64_t samples_ = 0;
};

}  // namespace weft::clip
