// Turns frames into the encoder's pixel format.
#pragma once

#include <string>

#include "app/media/ffmpeg.h"
#include "app/media/scaler.h"

namespace weft {

// Converts with accurate rounding and full chroma interpolation; matrix and range follow the
// frame's tags (an unspecified matrix counts as BT.709 from 720 lines up, BT.601 below, as in mpv).
// Frames that are in the format already pass through untouched. Not thread-safe.
class PixelConverter {
 public:
    // `full_range_only`: YUV comes out in full range whatever went in (JPEG). `path` is for
    // messages.
    PixelConverter(AVPixelFormat target, bool full_range_only, std::string path);

    // A frame in the target format with `frame`'s properties, its range and matrix tags updated.
    // Shares the pixels if nothing has to change. Throws MediaError.
    AVFramePtr convert(const AVFrame& frame);

 private:
    void prepare(const AVFrame& frame, AVPixelFormat to, bool to_full);
    AVFramePtr convert_to(const AVFrame& frame, AVPixelFormat to);
    AVFramePtr share(const AVFrame& frame) const;
    AVFramePtr scale(const AVFrame& frame, AVPixelFormat to, bool full);

    AVPixelFormat target_;
    bool full_range_only_;
    std::string path_;
    SwsContextPtr sws_;
    ScalerSide from_;  // that sws_ takes
};

}  // namespace weft
