// Scales and converts pictures of any size and format to match a given picture.
#pragma once

#include <string>

#include "app/media/libav/ffmpeg.h"
#include "app/media/picture/scaler.h"

namespace weft {

// Uses bicubic interpolation and converts range and matrix; pictures of another shape are
// stretched. Not thread-safe.
class PictureScaler {
 public:
    // Results get the size, sample format, range, matrix and aspect of `like`. `path` is for
    // messages.
    PictureScaler(const AVFrame& like, std::string path);

    // Returns a new frame in host memory with all other properties of `frame`, which may be in GPU
    // memory. Throws MediaError if libswscale cannot convert these formats.
    AVFramePtr scale(const AVFrame& frame);

 private:
    AVFramePtr blank_like(const AVFrame& frame) const;
    void prepare(const AVFrame& frame);

    AVFramePtr like_;  // without pixels
    std::string path_;
    SwsContextPtr sws_;
    ScalerSide from_;  // the input that sws_ is set up for
};

}  // namespace weft
