// Converts frames to the encoder's pixel format.
#pragma once

#include <string>

#include "app/media/libav/ffmpeg.h"
#include "app/media/picture/scaler.h"

namespace weft {

// Converts with accurate rounding and full chroma interpolation; matrix and range follow the
// frame's tags (an unspecified matrix means BT.709 from 720 lines up, BT.601 below, as in mpv).
// Frames already in the format pass through untouched. Not thread-safe.
class PixelConverter {
 public:
    // A yuvj target, as JPEG has it, is always full range. `matrix` is the one by which every
    // reader takes YUV of the target's codec, if it has one. `path` is for messages.
    PixelConverter(AVPixelFormat target, std::string path,
                   AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED);

    // Returns a frame in the target format with `frame`'s properties and updated range and matrix
    // tags. Shares the pixels if nothing has to change. Throws MediaError.
    AVFramePtr convert(const AVFrame& frame);

 private:
    void prepare(const AVFrame& frame, AVPixelFormat to, bool to_full);
    AVFramePtr convert_to(const AVFrame& frame, AVPixelFormat to);
    AVFramePtr share(const AVFrame& frame) const;
    AVFramePtr to_floats(const AVFrame& frame, AVPixelFormat to);
    AVFramePtr without_alpha(const AVFrame& frame) const;
    AVFramePtr scale(const AVFrame& frame, AVPixelFormat to, bool full);
    AVColorSpace target_matrix(const AVFrame& frame) const;

    AVPixelFormat target_;
    std::string path_;
    AVColorSpace matrix_;
    SwsContextPtr sws_;
    ScalerSide from_;  // the input that sws_ is set up for
};

}  // namespace weft
