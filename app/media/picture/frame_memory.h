// Frames on the host, in page-locked or in GPU memory, whose pixel buffers are reused.
#pragma once

#include "app/media/libav/ffmpeg.h"
#include "kernels/device/device.h"
#include "kernels/device/image_buffer.h"

namespace weft {

// A FrameMemory allocates new frames and remembers none. A buffer returns to it when any thread
// drops the last reference to the frame, and may outlive it. Only one thread may call get().
class FrameMemory {
 public:
    // Page-locked and GPU memory belongs to the device that is current when get() allocates.
    explicit FrameMemory(Allocation where) : where_(where) {}

    Allocation where() const { return where_; }

    // A frame of this format and size with uninitialised pixels and nothing else: all planes in one
    // buffer, rows aligned to 256 bytes. Allocates only while all earlier ones are in use; another
    // format or size starts a new pool. Throws MediaError when memory runs out.
    AVFramePtr get(AVPixelFormat format, int width, int height);
    // As above, in the sample format and size of `like`, with its colour tags, side data and
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

// Returns the device after making it current, for members that are created on it. Throws CudaError.
const Device& made_current(const Device& device);

// libav's description (AVHWFramesContext) of CUDA frames of this sample format and size on
// `hardware`, of which it takes a reference; has no pool until av_hwframe_ctx_init(). Throws
// MediaError.
BufferPtr describe_cuda_frames(AVBufferRef& hardware, AVPixelFormat format, int width, int height);

}  // namespace weft
