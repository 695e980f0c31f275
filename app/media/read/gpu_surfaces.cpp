#include "app/media/read/gpu_surfaces.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/media/picture/frame.h"
#include "app/media/picture/pixel_traits.h"
#include "kernels/device/loaded_library.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

constexpr std::array kExactCodecs = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8,
                                     AV_CODEC_ID_VP9, AV_CODEC_ID_AV1};

// libav's own decoders parse the stream and leave the pictures to the GPU, so that their frames
// have the same properties as in software. Its wrappers of the driver's parser have an internal
// method.
bool takes_cuda(const AVCodec& codec) {
    for (int k = 0; const AVCodecHWConfig* config = avcodec_get_hw_config(&codec, k); ++k)
        if (config->device_type == AV_HWDEVICE_TYPE_CUDA &&
            (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0 &&
            (config->methods & AV_CODEC_HW_CONFIG_METHOD_INTERNAL) == 0)
            return true;
    return false;
}

// One component of a surface, which may share its plane with others and have its samples in the
// high bits of their words.
struct Source {
    ChannelView channel;
    int shift = 0;
};

class SurfaceLayout {
 public:
    SurfaceLayout(const AVFrame& surface, AVPixelFormat format)
        : surface_(surface),
          from_(*av_pix_fmt_desc_get(sample_format(surface))),
          to_(*av_pix_fmt_desc_get(format)) {}

    // Whether the surface has all components of `to_` as samples of the same width. Surfaces of
    // gray AV1 are NV12.
    bool fits() const {
        const bool same_chroma = from_.nb_components == to_.nb_components &&
                                 from_.log2_chroma_w == to_.log2_chroma_w &&
                                 from_.log2_chroma_h == to_.log2_chroma_h;
        return (same_chroma || to_.nb_components == 1) &&
               sample_bytes(from_) == sample_bytes(to_) && from_.comp[0].depth >= to_.comp[0].depth;
    }
    Source component(int index, const ImageView& like) const {
        const AVComponentDescriptor& comp = from_.comp[index];
        const int bytes = sample_bytes(from_);
        const bool chroma = index > 0;
        const auto x = static_cast<std::ptrdiff_t>(surface_.crop_left >> width_shift(chroma));
        const auto y = static_cast<std::ptrdiff_t>(surface_.crop_top >> height_shift(chroma));
        ImageView image = like;
        image.channels = comp.step / bytes;
        image.pitch_bytes = surface_.linesize[comp.plane];
        image.data = surface_.data[comp.plane] + y * image.pitch_bytes + x * comp.step;
        // P010: depth 10 and shift 6; P016 and 4:4:4 of 16 bits: what the target's depth leaves.
        const int high = comp.depth == 16 && to_.comp[index].depth < 16;
        const int shift = high != 0 ? 16 - to_.comp[index].depth : comp.shift;
        return {{image, comp.offset / bytes}, shift};
    }

 private:
    int width_shift(bool chroma) const { return chroma ? from_.log2_chroma_w : 0; }
    int height_shift(bool chroma) const { return chroma ? from_.log2_chroma_h : 0; }

    const AVFrame& surface_;
    const AVPixFmtDescriptor& from_;
    const AVPixFmtDescriptor& to_;
};

void copy_component(const Source& from, const ImageView& to, StreamView stream) {
    if (from.shift == 0 && from.channel.image.channels == 1)
        copy_image(from.channel.image, to, stream);
    else
        extract_channel(from.channel, from.shift, to, stream);
}

// FFmpeg loads the decoders' library for each of them and unloads it with the last one, while a
// thread of the library may be about to end in it. This handle keeps it loaded.
void keep_decoder_library() {
    static const LoadedLibrary library{"libnvcuvid.so.1"};
}

}  // namespace

const AVCodec* find_gpu_decoder(AVCodecID codec, std::string& why_not) {
    why_not =
        fmt::format("GPUs do not decode {} bit-identically to FFmpeg", avcodec_get_name(codec));
    if (std::ranges::find(kExactCodecs, codec) == kExactCodecs.end()) return nullptr;
    void* position = nullptr;
    while (const AVCodec* decoder = av_codec_iterate(&position))
        if (decoder->id == codec && av_codec_is_decoder(decoder) != 0 && takes_cuda(*decoder))
            return decoder;
    why_not = fmt::format("this FFmpeg has no GPU decoder for {}", avcodec_get_name(codec));
    return nullptr;
}

GpuSurfaces::GpuSurfaces(const Device& device) : frames_(device) {
    keep_decoder_library();
}

AVFramePtr GpuSurfaces::take(const AVFrame& surface, AVPixelFormat format) {
    if (surface.data[0] == nullptr) return nullptr;
    use_device(frames_.device());
    const int width = surface.width - static_cast<int>(surface.crop_left);
    const int height = surface.height - static_cast<int>(surface.crop_top);
    const SurfaceLayout layout(surface, format);
    if (!is_native_format(format) || !layout.fits())
        throw MediaError(Outcome::failed, fmt::format("the GPU's {} pictures do not become {}",
                                                      av_get_pix_fmt_name(sample_format(surface)),
                                                      av_get_pix_fmt_name(format)));
    AVFramePtr frame = frames_.get(surface, format, width, height);
    const PlaneViews planes = plane_views(*frame);
    const AVPixFmtDescriptor& to = *av_pix_fmt_desc_get(format);
    for (int k = 0; k < to.nb_components; ++k) {
        const ImageView& plane = planes[static_cast<std::size_t>(to.comp[k].plane)];
        copy_component(layout.component(k, plane), plane, frames_.stream().view());
    }
    frames_.stream().synchronize();
    return frame;
}

}  // namespace weft
