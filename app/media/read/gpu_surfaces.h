// Decoding on a GPU (NVDEC) through FFmpeg's CUDA hardware context.
#pragma once

#include <string>

#include "app/media/libav/ffmpeg.h"
#include "app/media/picture/gpu_frames.h"
#include "kernels/device/device.h"

namespace weft {

// FFmpeg's decoder that can hand this codec to a GPU, or null with the reason: only codecs whose
// standard fixes every bit of the frame qualify, so that the choice of decoder does not matter.
const AVCodec* find_gpu_decoder(AVCodecID codec, std::string& why_not);

// Copies one decoder's surfaces to frames. A decoder has few surfaces and stops with "No decoder
// surfaces left" if they are kept, so each is copied on the GPU and returned at once. The copy has
// the planes of the software decoder's format (yuv420p for NV12, yuv420p10 for P010): later steps
// need not know which decoder was used, and one can take over from the other.
class GpuSurfaces {
 public:
    // Throws MediaError or CudaError where the GPU cannot be used for this.
    explicit GpuSurfaces(const Device& device);

    // For AVCodecContext::hw_device_ctx, which takes a reference of its own.
    AVBufferRef& hardware() const { return frames_.hardware(); }

    // The pixels of `surface` (AV_PIX_FMT_CUDA, from a decoder of hardware()) as a frame in GPU
    // memory whose sample_format() is `format`, cropped, with all properties. Blocks until copied.
    // For any one thread at a time. Throws MediaError, CudaError.
    AVFramePtr take(const AVFrame& surface, AVPixelFormat format);

 private:
    GpuFrames frames_;
};

}  // namespace weft
