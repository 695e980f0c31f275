// Scales and converts frames with libswscale, set up so that range and matrix are converted.
#pragma once

#include <string>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// One side of a conversion. The format has no range of its own: see without_range().
struct ScalerSide {
    int width = 0;
    int height = 0;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    bool full_range = false;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    bool operator==(const ScalerSide&) const = default;
};

// Bicubic, with accurate rounding and no chroma shortcuts: exact for formats that differ only in
// layout. Throws MediaError(failed), naming `path`, if libswscale cannot convert between these.
SwsContextPtr open_scaler(const ScalerSide& from, const ScalerSide& to, const std::string& path);

// Unlike PixelConverter, a FrameScaler also changes the size, range and matrix of frames. It uses
// bicubic interpolation, stretches frames of another shape, and is not thread-safe.
class FrameScaler {
 public:
    // Results get the size, sample format, range, matrix and aspect of `like`. `path` is for
    // messages.
    FrameScaler(const AVFrame& like, std::string path);

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
