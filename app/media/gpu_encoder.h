// Encoding on a GPU (NVENC), of frames that the encoder reads where they lie.
#pragma once

#include <optional>
#include <string>

#include "app/media/ffmpeg.h"
#include "kernels/device.h"
#include "kernels/image_buffer.h"

namespace weft {

// Whether the encoder runs on a GPU and takes frames in its memory, beside those on the host.
bool takes_gpu_frames(const AVCodec& encoder);

// Why no such encoder can be opened, as a clause; nullopt where one can: then a GPU that refuses
// something refuses that picture or those options. `gpu`: where it would run, or the CPU for any
// GPU. Opens a small one to see, which takes up to a second.
std::optional<std::string> why_no_gpu_encoder(const AVCodec& encoder, const Device& gpu);

// GPU memory for the frames of one encoder. Not FrameMemory: NVENC wants a frame's planes in one
// piece and in an order of its own, which libav's pool knows.
class EncoderSurfaces {
 public:
    // `format`: of the samples, one that the encoder takes. Throws MediaError, CudaError.
    EncoderSurfaces(const Device& gpu, AVPixelFormat format, int width, int height);

    // For AVCodecContext::hw_frames_ctx, which takes a reference of its own.
    AVBufferRef& frames() const { return *frames_; }

    // A frame with the colour tags, side data and timing of `like`, which has this size, and
    // uninitialised pixels, which return by themselves when nobody uses them any more, in whatever
    // thread that happens. Allocates only while all earlier ones are in use. For any one thread at
    // a time; this must outlive the frames. Throws MediaError when there is no memory.
    AVFramePtr get(const AVFrame& like);

 private:
    Device gpu_;
    Stream stream_;
    BufferPtr hardware_;
    BufferPtr frames_;
};

}  // namespace weft
