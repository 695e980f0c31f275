// From a filtered frame to what the encoder takes: turned if need be, in its pixel format.
#pragma once

#include <memory>
#include <string>

#include "app/media/ffmpeg.h"
#include "app/media/pixel_converter.h"
#include "app/media/rotation.h"
#include "app/media/video_choice.h"

namespace weft {

class PicturePreparer {
 public:
    PicturePreparer(const Turn& turn, const VideoChoice& choice, std::string path);

    // A frame of its own; the pixels are shared where nothing changes. Throws MediaError.
    AVFramePtr prepare(const AVFrame& frame);

 private:
    AVFramePtr turn(const AVFrame& frame);

    Turn turn_;
    std::string path_;
    PixelConverter converter_;
    std::unique_ptr<PixelConverter> before_turning_;
};

// What is done to the pixels of frames on their way to the encoder's format `to`: "turned 90
// degrees clockwise", "converted from yuv420p10le to p010le"; empty: they are passed on.
std::string preparation(AVPixelFormat format, const Turn& turn, AVPixelFormat to);

// The format of frames after turning: without chroma subsampling where that differs in x and y.
AVPixelFormat turned_format(AVPixelFormat format, const Turn& turn);

}  // namespace weft
