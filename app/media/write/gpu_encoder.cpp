#include "app/media/write/gpu_encoder.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <fmt/format.h>

#include "app/media/picture/cuda_hardware.h"
#include "app/media/picture/frame_memory.h"

namespace weft {
namespace {

// libav's result for opening a small picture that every NVENC supports, on `hardware` or, if null,
// any GPU.
int open_small(const AVCodec& encoder, AVBufferRef* hardware) {
    const CodecContextPtr context(avcodec_alloc_context3(&encoder));
    if (!context) return AVERROR(ENOMEM);
    context->width = 640;
    context->height = 360;
    context->pix_fmt = AV_PIX_FMT_YUV420P;
    context->time_base = {1, 25};
    if (hardware != nullptr) context->hw_device_ctx = av_buffer_ref(hardware);
    return avcodec_open2(context.get(), &encoder, nullptr);
}

// Does not use the encoder's option "gpu", which fails without a reason.
int try_to_open(const AVCodec& encoder, const Device& gpu) {
    if (!gpu.is_gpu()) return open_small(encoder, nullptr);
    use_device(gpu);
    const Stream stream;
    const BufferPtr hardware = make_cuda_hardware(stream.view());
    return open_small(encoder, hardware.get());
}

std::string reason_of(int av_code, const Device& gpu) {
    switch (av_code) {
        case AVERROR(EPERM):  // libav's code for a library that it cannot load
            return "the NVIDIA driver or its encoder library (libnvidia-encode.so.1) is missing";
        case AVERROR(ENOMEM):
            return "the GPU has no free encoder session or no free memory";
        case AVERROR(ENOSYS):
        case AVERROR(ENOENT):
        case AVERROR_EXTERNAL:
            return gpu.is_gpu() ? fmt::format("this GPU ({}) has no video encoder", gpu.name)
                                : "no GPU here has a free video encoder that FFmpeg can use";
        default:
            return fmt::format("the GPU's encoder cannot start: {}", av_error_text(av_code));
    }
}

}  // namespace

bool takes_gpu_frames(const AVCodec& encoder) {
    for (int k = 0; const AVCodecHWConfig* config = avcodec_get_hw_config(&encoder, k); ++k)
        if (config->pix_fmt == AV_PIX_FMT_CUDA &&
            (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX) != 0)
            return true;
    return false;
}

std::optional<NoGpuEncoder> why_no_gpu_encoder(const AVCodec& encoder, const Device& gpu) {
    const int result = try_to_open(encoder, gpu);
    if (result >= 0) return std::nullopt;
    return NoGpuEncoder{reason_of(result, gpu), result == AVERROR(ENOMEM)};
}

EncoderSurfaces::EncoderSurfaces(const Device& gpu, AVPixelFormat format, int width, int height)
    : gpu_(made_current(gpu)),
      hardware_(make_cuda_hardware(stream_.view())),
      frames_(describe_cuda_frames(*hardware_, format, width, height)) {
    av_check(av_hwframe_ctx_init(frames_.get()), "laying out the encoder's frames", "CUDA");
}

AVFramePtr EncoderSurfaces::get(const AVFrame& like) {
    AVFramePtr frame = make_frame();
    if (const int result = av_hwframe_get_buffer(frames_.get(), frame.get(), 0); result < 0)
        throw MediaError(Outcome::failed,
                         fmt::format("no GPU memory for a frame of {}x{} to encode: {}", like.width,
                                     like.height, av_error_text(result)),
                         result, Cause::device);
    av_check(av_frame_copy_props(frame.get(), &like), "copying a frame's tags", "memory");
    return frame;
}

}  // namespace weft
