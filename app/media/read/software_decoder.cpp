#include "app/media/read/software_decoder.h"

#include <string_view>

namespace weft {
namespace {

bool has_alpha_mode(const AVStream& stream) {
    const AVDictionaryEntry* mode = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    return mode && std::string_view(mode->value) == "1";
}

}  // namespace

const AVCodec* find_software_decoder(const AVStream& stream, std::vector<std::string>& notes) {
    const AVCodecID id = stream.codecpar->codec_id;
    const bool vp8 = id == AV_CODEC_ID_VP8;
    if ((vp8 || id == AV_CODEC_ID_VP9) && has_alpha_mode(stream)) {
        const AVCodec* libvpx = avcodec_find_decoder_by_name(vp8 ? "libvpx" : "libvpx-vp9");
        notes.emplace_back(libvpx ? "decoded with libvpx for its alpha channel"
                                  : "the alpha channel is lost: FFmpeg lacks libvpx");
        if (libvpx) return libvpx;
    }
    return avcodec_find_decoder(id);
}

}  // namespace weft
