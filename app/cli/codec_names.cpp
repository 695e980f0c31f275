#include "app/cli/codec_names.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <vector>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "filters/text/nearest.h"

namespace weft {
namespace {

const AVCodec* find_encoder(const std::string& name) {
    if (const AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str())) return encoder;
    const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(name.c_str());
    return codec == nullptr ? nullptr : avcodec_find_encoder(codec->id);
}

std::vector<std::string_view> encoder_names(AVMediaType type) {
    std::vector<std::string_view> names;
    void* position = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&position))
        if (av_codec_is_encoder(codec) != 0 && codec->type == type) names.emplace_back(codec->name);
    return names;
}

std::string hint(const std::string& name, const std::vector<std::string_view>& names) {
    const std::string_view near = nearest_name(name, names);
    return near.empty() ? "" : fmt::format(": did you mean '{}'?", near);
}

}  // namespace

void check_encoder_name(const std::string& option, const std::string& name, AVMediaType type) {
    const AVCodec* encoder = find_encoder(name);
    if (encoder != nullptr && encoder->type == type) return;
    throw Error(ExitCode::usage,
                fmt::format("{} {}: there is no such {} encoder{}", option, shown(name),
                            av_get_media_type_string(type), hint(name, encoder_names(type))));
}

void check_pixel_format_name(const std::string& name) {
    if (av_get_pix_fmt(name.c_str()) != AV_PIX_FMT_NONE) return;
    std::vector<std::string_view> names;
    for (const AVPixFmtDescriptor* format = av_pix_fmt_desc_next(nullptr); format != nullptr;
         format = av_pix_fmt_desc_next(format))
        names.emplace_back(format->name);
    throw Error(ExitCode::usage, fmt::format("-pix_fmt {}: there is no such pixel format{}",
                                             shown(name), hint(name, names)));
}

}  // namespace weft
