#include "app/media/picture/exact_webp.h"

#include <algorithm>
#include <memory>
#include <webp/encode.h>

#include <fmt/format.h>

extern "C" {
#include <libavutil/opt.h>
}

namespace weft {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what) {
    throw MediaError(Outcome::failed, fmt::format("{}: encoding a lossless WebP: {}", path, what));
}

double option_of(AVCodecContext& context, const char* name, const std::string& path) {
    double value = 0;
    av_check(av_opt_get_double(&context, name, AV_OPT_SEARCH_CHILDREN, &value),
             "reading the encoder's option", path);
    return value;
}

WebPConfig config_of(AVCodecContext& context, const std::string& path) {
    WebPConfig config{};
    const auto quality = static_cast<float>(option_of(context, "quality", path));
    const auto preset = static_cast<int>(option_of(context, "preset", path));
    const bool ready =
        preset >= 0 ? WebPConfigPreset(&config, static_cast<WebPPreset>(preset), quality) != 0
                    : WebPConfigInit(&config) != 0;
    if (!ready) fail(path, "libwebp has another version than its header");
    config.quality = quality;
    config.method = context.compression_level;
    config.lossless = 1;
    config.exact = 1;
    if (WebPValidateConfig(&config) == 0) fail(path, "libwebp refuses the options");
    return config;
}

}  // namespace

AVPacketPtr encode_exact_webp(AVCodecContext& context, const AVFrame& frame,
                              const std::string& path) {
    const WebPConfig config = config_of(context, path);
    WebPPicture picture{};
    if (WebPPictureInit(&picture) == 0) fail(path, "libwebp has another version than its header");
    const std::unique_ptr<WebPPicture, decltype(&WebPPictureFree)> picture_owner(&picture,
                                                                                 WebPPictureFree);
    WebPMemoryWriter file{};
    WebPMemoryWriterInit(&file);
    const std::unique_ptr<WebPMemoryWriter, decltype(&WebPMemoryWriterClear)> file_owner(
        &file, WebPMemoryWriterClear);
    picture.use_argb = 1;
    picture.width = frame.width;
    picture.height = frame.height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &file;
    if (WebPPictureImportBGRA(&picture, frame.data[0], frame.linesize[0]) == 0)
        av_check(AVERROR(ENOMEM), "encoding a frame", path);
    if (WebPEncode(&config, &picture) == 0)
        fail(path, fmt::format("libwebp's error {}", static_cast<int>(picture.error_code)));
    AVPacketPtr packet = make_packet();
    av_check(av_new_packet(packet.get(), static_cast<int>(file.size)), "encoding a frame", path);
    std::copy_n(file.mem, file.size, packet->data);
    return packet;
}

}  // namespace weft
