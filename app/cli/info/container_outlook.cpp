#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/info/info_report.h"
#include "app/media/metadata/picture_metadata.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/write/container_table.h"
#include "app/media/write/video_choice.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

void choose_default(const Container& container, const FrameShape& shape,
                    ContainerOutlook& outlook) {
    try {
        const VideoChoice choice = choose_video(container, shape, {});
        outlook.codec = choice.encoder->name;
        outlook.pixel_format = av_get_pix_fmt_name(choice.format);
        outlook.losses = choice.losses;
    } catch (const Error& error) {
        outlook.losses = {error.what()};
    }
}

void choose_lossless(const Container& container, const FrameShape& shape,
                     ContainerOutlook& outlook) {
    try {
        outlook.lossless_codec =
            choose_video(container, shape, {.codec = {}, .pixel_format = {}, .lossless = true})
                .encoder->name;
    } catch (const Error&) {
        outlook.lossless_codec.clear();  // choose_video() throws if no encoder fits
    }
}

void add_lost_metadata(const Container& container, const Reader& reader,
                       ContainerOutlook& outlook) {
    if (reader.picture_metadata() == nullptr || outlook.pixel_format.empty()) return;
    const AVPixelFormat format = av_get_pix_fmt(outlook.pixel_format.c_str());
    const PictureTarget target{.blocks = reader.is_still_image() ? container.picture_blocks : 0,
                               .gray = pixel_traits(format).gray};
    const std::vector<std::string> lost = reader.picture_metadata()->lost_in(target);
    if (!lost.empty()) outlook.losses.push_back(fmt::format("{}", fmt::join(lost, ", ")));
}

std::string other_stream_fate(const Container& container, const AVStream& stream) {
    const AVCodecParameters& codec = *stream.codecpar;
    const char* kind = av_get_media_type_string(codec.codec_type);
    const auto fate = [&]() -> std::string {
        if (codec.codec_type == AVMEDIA_TYPE_ATTACHMENT)
            return container.supports(kAttachments) ? "copied" : "dropped";
        if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0)
            return container.cover == CoverStorage::none ? "dropped" : "copied";
        if (container.kind == OutputKind::video && container_takes(container, codec.codec_id))
            return "copied";
        const bool audio = codec.codec_type == AVMEDIA_TYPE_AUDIO;
        const bool subtitle = codec.codec_type == AVMEDIA_TYPE_SUBTITLE;
        const auto target = audio      ? container.audio_codec
                            : subtitle ? container.subtitle_codec
                                       : std::string_view();
        return target.empty() ? "dropped" : fmt::format("converted to {}", target);
    };
    return fmt::format("{} {}: {}", kind == nullptr ? "unknown" : kind, stream.index, fate());
}

}  // namespace

std::vector<ContainerOutlook> container_outlooks(const Reader& reader) {
    const AVFrame& frame = *reader.first_frame().av;
    const FrameShape shape{reader.first_frame().format(), frame.width, frame.height};
    std::vector<ContainerOutlook> outlooks;
    for (const Container& container : containers()) {
        if (container.kind == OutputKind::raw) continue;  // keeps nothing but samples
        ContainerOutlook outlook;
        outlook.name = container.name;
        outlook.extension = container.extensions.front();
        choose_default(container, shape, outlook);
        choose_lossless(container, shape, outlook);
        if (reader.rotation_degrees() != 0 && !container.supports(kRotation))
            outlook.losses.emplace_back("the rotation is applied to the pixels");
        add_lost_metadata(container, reader, outlook);
        for (unsigned k = 0; k < reader.source().nb_streams; ++k) {
            const AVStream& stream = *reader.source().streams[k];
            if (stream.index != reader.video_stream().index)
                outlook.streams.push_back(other_stream_fate(container, stream));
        }
        outlooks.push_back(std::move(outlook));
    }
    return outlooks;
}

}  // namespace weft
