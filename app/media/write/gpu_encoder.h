// Encoding on a GPU (NVENC) from frames in its memory, without a copy.
#pragma once

#include <optional>
#include <string>

#include "app/media/libav/ffmpeg.h"
#include "kernels/device/device.h"
#include "kernels/device/stream.h"

namespace weft {

// Whether the encoder runs on a GPU and takes frames in its memory as well as on the host.
bool takes_gpu_frames(const AVCodec& encoder);

struct NoGpuEncoder {
    std::string why;      // a clause
    bool in_use = false;  // others hold the GPU's encoder sessions, or its memory
};

// Opens a small encoder on `gpu`, or on any GPU if `gpu` is the CPU, which takes up to a second.
// Returns the reason if that fails. Nullopt means that the GPU works, so that an encoder which did
// not open was refused for its picture or its options.
std::optional<NoGpuEncoder> why_no_gpu_encoder(const AVCodec& encoder, const Device& gpu);

// GPU memory for the frames of one encoder. Not FrameMemory: NVENC needs a frame's planes in one
// piece and in its own order, which libav's pool provides.
class EncoderSurfaces {
 public:
    // `format` is the sample format, which the encoder must support. Throws MediaError, CudaError.
    EncoderSurfaces(const Device& gpu, AVPixelFormat format, int width, int height);

    // For AVCodecContext::hw_frames_ctx, which takes a reference of its own.
    AVBufferRef& frames() const { return *frames_; }

    // A frame with the colour tags, side data and timing of `like`, which has this size, and
    // uninitialised pixels, which return by themselves when the last reference is dropped, on any
    // thread. Allocates only while all earlier ones are in use. For any one thread at a time; this
    // must outlive the frames. Throws MediaError when memory runs out.
    AVFramePtr get(const AVFrame& like);

 private:
    Device gpu_;
    Stream stream_;
    BufferPtr hardware_;
    BufferPtr frames_;
};

}  // namespace weft
