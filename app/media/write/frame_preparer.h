// Prepares a filtered frame for the encoder: rotates it if needed and converts its pixel format.
#pragma once

#include <memory>
#include <string>

#include "app/media/libav/ffmpeg.h"
#include "app/media/picture/pixel_converter.h"
#include "app/media/picture/rotation.h"
#include "app/media/write/video_choice.h"

namespace weft {

// A FramePreparer adapts frames to the encoder; a FrameMaker adapts decoded frames to the filters.
class FramePreparer {
 public:
    FramePreparer(const Turn& turn, const VideoChoice& choice, std::string path);

    // Returns a new frame, which shares the pixels if nothing changes. Throws MediaError.
    AVFramePtr prepare(const AVFrame& frame);

 private:
    AVFramePtr turn(const AVFrame& frame);

    Turn turn_;
    std::string path_;
    PixelConverter converter_;
    std::unique_ptr<PixelConverter> before_turning_;
};

// Describes how frames are changed for the encoder's format `to`: "turned 90 degrees clockwise",
// "converted from yuv420p10le to p010le"; empty: they are passed on.
std::string preparation(AVPixelFormat format, const Turn& turn, AVPixelFormat to);

// The format of frames after rotation: without chroma subsampling if it differs in x and y.
AVPixelFormat turned_format(AVPixelFormat format, const Turn& turn);

}  // namespace weft
