// Brings pictures of any size and format to those of one given picture.
#pragma once

#include <string>

#include "app/media/ffmpeg.h"
#include "app/media/scaler.h"

namespace weft {

// By bicubic interpolation, with range and matrix converted; the picture is stretched where its
// shape is another. Not thread-safe.
class PictureScaler {
 public:
    // Results get size, sample format, range, matrix and aspect of `like`. `path` is for messages.
    PictureScaler(const AVFrame& like, std::string path);

    // A frame of its own on the host, with all other properties of `frame`, which may lie in a
    // GPU's memory. Throws MediaError where libswscale does not convert these formats.
    AVFramePtr scale(const AVFrame& frame);

 private:
    AVFramePtr blank_like(const AVFrame& frame) const;
    void prepare(const AVFrame& frame);

    AVFramePtr like_;  // without pixels
    std::string path_;
    SwsContextPtr sws_;
    ScalerSide from_;  // that sws_ takes
};

}  // namespace weft
