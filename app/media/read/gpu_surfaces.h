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

// The surfaces of a hardware decoder.
class Surfaces {
 public:
    Surfaces() = default;
    virtual ~Surfaces() = default;
    Surfaces(const Surfaces&) = delete;
    Surfaces& operator=(const Surfaces&) = delete;

    // For AVCodecContext::hw_device_ctx, which takes a reference of its own. Null in tests, where
    // software decodes.
    virtual AVBufferRef* hardware() const = 0;
    // Whether a decoder of hardware() has decoded the frame.
    virtual bool holds(const AVFrame& frame) const = 0;
    // The pixels of `surface` as a frame whose sample_format() is `format`, cropped, with all
    // properties. Null if the decoder had no surface left for it: libav then returns a frame
    // without memory. For any one thread at a time. Throws MediaError, CudaError.
    virtual AVFramePtr take(const AVFrame& surface, AVPixelFormat format) = 0;
};

// Copies one decoder's surfaces to frames. A decoder has few surfaces and stops with "No decoder
// surfaces left" if they are kept, so each is copied on the GPU and returned at once. The copy has
// the planes of the software decoder's format (yuv420p for NV12, yuv420p10 for P010): later steps
// need not know which decoder was used, and one can take over from the other.
class GpuSurfaces : public Surfaces {
 public:
    // Throws MediaError or CudaError where the GPU cannot be used for this.
    explicit GpuSurfaces(const Device& device);

    AVBufferRef* hardware() const override { return &frames_.hardware(); }
    bool holds(const AVFrame& frame) const override { return frame.format == AV_PIX_FMT_CUDA; }
    // Returns a frame in GPU memory; blocks until it is copied.
    AVFramePtr take(const AVFrame& surface, AVPixelFormat format) override;

 private:
    GpuFrames frames_;
};

}  // namespace weft
