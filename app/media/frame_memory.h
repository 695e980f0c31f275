// Frames on the host, in page-locked or in a GPU's memory, whose pixels are used again.
#pragma once

#include "app/media/ffmpeg.h"
#include "kernels/image_buffer.h"

namespace weft {

// Pixels return by themselves when the last reference to a frame is gone, in whatever thread that
// happens, and may outlive this. For one thread.
class FrameMemory {
 public:
    // Page-locked and GPU memory is of the device that is current when get() allocates.
    explicit FrameMemory(Allocation where) : where_(where) {}

    Allocation where() const { return where_; }

    // A frame of this format and size with uninitialised pixels and nothing else: all planes in one
    // buffer, rows aligned to 256 bytes. Allocates only while all earlier ones are in use; another
    // format or size begins anew. Throws MediaError when there is no memory.
    AVFramePtr get(AVPixelFormat format, int width, int height);
    // Likewise, of the sample format and size of `like`, with its colour tags, side data and
    // timing.
    AVFramePtr get(const AVFrame& like);

 private:
    void fit(AVPixelFormat format, int width, int height);

    Allocation where_;
    BufferPoolPtr pool_;
    AVPixelFormat format_ = AV_PIX_FMT_NONE;
    int width_ = 0;
    int height_ = 0;
    int pitches_[4] = {};
    std::size_t plane_bytes_[4] = {};
};

}  // namespace weft
