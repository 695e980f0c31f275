// A decoded picture in the file's own pixel format, and its planes as image views.
#pragma once

#include <cstdint>

#include "app/media/libav/ffmpeg.h"
#include "filters/frame_info.h"
#include "kernels/plane_views.h"

namespace weft {

// The layout of a frame's samples: its format or, in GPU memory (AV_PIX_FMT_CUDA), that of the
// pixels there.
AVPixelFormat sample_format(const AVFrame& frame);

bool in_gpu_memory(const AVFrame& frame);

// A Frame owns a decoded picture, which FrameInfo and FrameFormat only describe. Its pixels may be
// shared with av_frame_ref and are written only if the AVFrame is writable. `pts` and `duration`
// are in the Reader's time base and always set; side data and colour tags stay as decoded.
struct Frame {
    AVFramePtr av;
    std::int64_t pts = 0;
    std::int64_t duration = 0;  // 0: unknown
    std::int64_t index = 0;     // 0 for the first frame delivered

    AVPixelFormat format() const { return sample_format(*av); }
};

// Whether frames of this format can be filtered without conversion: gray, yuv4xx, nv12, rgb and
// gbr, with or without alpha, 8 to 16 bits in native endianness with the value in the low bits,
// or 32-bit float. p010 (value in the high bits), packed 4:2:2 and palettes are not.
bool is_native_format(AVPixelFormat format);

// Geometry, samples and colour of `frame` for the filters; `rotation_degrees` comes from the
// stream. Throws MediaError if the format is not native.
FrameInfo frame_info(const AVFrame& frame, int rotation_degrees);

// The planes of `frame`, in the order of frame_info(frame).planes, in host or GPU memory. The views
// alias the frame.
PlaneViews plane_views(const AVFrame& frame);

// A frame of the same sample format, size, colour tags, side data and timing, without pixels.
AVFramePtr without_pixels(const AVFrame& frame);

// The same with uninitialised, writable pixels of its own in host memory.
AVFramePtr new_frame_like(const AVFrame& frame);

}  // namespace weft
