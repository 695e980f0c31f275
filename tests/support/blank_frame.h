// A frame for a test to fill.
#pragma once

#include "app/media/libav/ffmpeg.h"

namespace weft::test {

// The pixels are allocated but not initialised.
inline AVFramePtr blank_frame(AVPixelFormat format, int width, int height) {
    AVFramePtr frame = make_frame();
    frame->format = format;
    frame->width = width;
    frame->height = height;
    av_check(av_frame_get_buffer(frame.get(), 0), "allocating a frame", "test");
    return frame;
}

}  // namespace weft::test
