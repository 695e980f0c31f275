// Frames in the memory of a GPU, as decoders return them.
#pragma once

#include "app/media/libav/ffmpeg.h"
#include "app/media/picture/frame_memory.h"
#include "kernels/device/device.h"
#include "kernels/device/stream.h"

namespace weft {

// Different threads may use the object, but only one at a time.
class GpuFrames {
 public:
    // Makes the device current. Throws MediaError, CudaError.
    explicit GpuFrames(const Device& device);

    const Device& device() const { return device_; }
    // The stream on which work on the frames is ordered.
    const Stream& stream() const { return stream_; }
    // For AVCodecContext::hw_device_ctx, which takes a reference of its own.
    AVBufferRef& hardware() const { return *hardware_; }

    // A frame whose sample_format() is `format`, uncropped, with the properties of `like` and
    // uninitialised pixels: see FrameMemory. Throws MediaError when memory runs out.
    AVFramePtr get(const AVFrame& like, AVPixelFormat format, int width, int height);

 private:
    AVBufferRef& description(AVPixelFormat format, int width, int height);

    Device device_;
    Stream stream_;
    BufferPtr hardware_;
    FrameMemory memory_{Allocation::device};
    BufferPtr description_;  // the frames' AVFrame::hw_frames_ctx
};

}  // namespace weft
