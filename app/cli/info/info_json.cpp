#include "app/cli/info/info_report.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include "app/pipeline/version.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string ratio_text(AVRational value, char between) {
    return fmt::format("{}{}{}", value.num, between, value.den);
}

std::string or_unknown(const char* text) {
    return text == nullptr ? "unknown" : text;
}

std::string seconds_text(std::int64_t ticks, AVRational base) {
    return fmt::format("{:.6f}", static_cast<double>(ticks) * av_q2d(base));
}

Json tags_json(const AVDictionary* tags) {
    Json json = Json::object();
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(tags, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr)
        json[entry->key] = entry->value;
    return json;
}

Json disposition_json(int disposition) {
    Json json = Json::object();
    for (unsigned bit = 0; bit < 31; ++bit) {
        const char* name = av_disposition_to_string(static_cast<int>(1U << bit));
        if (name != nullptr) json[name] = (static_cast<unsigned>(disposition) >> bit & 1U);
    }
    return json;
}

const char* field_order_name(AVFieldOrder order) {
    switch (order) {
        case AV_FIELD_PROGRESSIVE:
            return "progressive";
        case AV_FIELD_TT:
            return "tt";
        case AV_FIELD_BB:
            return "bb";
        case AV_FIELD_TB:
            return "tb";
        case AV_FIELD_BT:
            return "bt";
        case AV_FIELD_UNKNOWN:
            break;
    }
    return "unknown";
}

void add_video(const AVStream& stream, Json& json) {
    const AVCodecParameters& codec = *stream.codecpar;
    json["width"] = codec.width;
    json["height"] = codec.height;
    json["sample_aspect_ratio"] = ratio_text(codec.sample_aspect_ratio, ':');
    json["pix_fmt"] = or_unknown(av_get_pix_fmt_name(static_cast<AVPixelFormat>(codec.format)));
    json["color_range"] = or_unknown(av_color_range_name(codec.color_range));
    json["color_space"] = or_unknown(av_color_space_name(codec.color_space));
    json["color_transfer"] = or_unknown(av_color_transfer_name(codec.color_trc));
    json["color_primaries"] = or_unknown(av_color_primaries_name(codec.color_primaries));
    json["field_order"] = field_order_name(codec.field_order);
}

Json mastering_json(const AVMasteringDisplayMetadata& display) {
    Json json = {{"side_data_type", "Mastering display metadata"}};
    if (display.has_primaries != 0) {
        constexpr const char* kNames[] = {"red", "green", "blue"};
        for (std::size_t k = 0; k < std::size(kNames); ++k) {
            const AVRational* xy = display.display_primaries[k];
            json[fmt::format("{}_x", kNames[k])] = ratio_text(xy[0], '/');
            json[fmt::format("{}_y", kNames[k])] = ratio_text(xy[1], '/');
        }
        json["white_point_x"] = ratio_text(display.white_point[0], '/');
        json["white_point_y"] = ratio_text(display.white_point[1], '/');
    }
    json["min_luminance"] = ratio_text(display.min_luminance, '/');
    json["max_luminance"] = ratio_text(display.max_luminance, '/');
    return json;
}

// As in ffprobe's side_data_list; ffprobe lists side data of frames only with the frames.
Json side_data_json(const SideData& data) {
    Json list = Json::array();
    if (data.mastering) list.push_back(mastering_json(*data.mastering));
    if (data.light)
        list.push_back({{"side_data_type", "Content light level metadata"},
                        {"max_content", data.light->MaxCLL},
                        {"max_average", data.light->MaxFALL}});
    if (data.dolby_vision)
        list.push_back({{"side_data_type", "DOVI configuration record"},
                        {"dv_profile", data.dolby_vision->dv_profile},
                        {"dv_level", data.dolby_vision->dv_level}});
    if (data.dolby_vision_frame) list.push_back({{"side_data_type", "Dolby Vision Metadata"}});
    if (data.hdr10_plus)
        list.push_back({{"side_data_type", "HDR Dynamic Metadata SMPTE2094-40 (HDR10+)"}});
    if (data.rotation_degrees)  // counter-clockwise in ffprobe, from -180 to 180
        list.push_back(
            {{"side_data_type", "Display Matrix"},
             {"rotation", *data.rotation_degrees == 270 ? 90 : -*data.rotation_degrees}});
    if (data.stereo)
        list.push_back(
            {{"side_data_type", "Stereo 3D"}, {"type", av_stereo3d_type_name(data.stereo->type)}});
    if (data.closed_captions)
        list.push_back({{"side_data_type", "ATSC A53 Part 4 Closed Captions"}});
    return list;
}

void add_audio(const AVCodecParameters& codec, Json& json) {
    json["sample_rate"] = std::to_string(codec.sample_rate);
    json["channels"] = codec.ch_layout.nb_channels;
}

Json stream_json(const AVStream& stream, const SideData& side_data) {
    const AVCodecParameters& codec = *stream.codecpar;
    Json json = {{"index", stream.index},
                 {"codec_name", avcodec_get_name(codec.codec_id)},
                 {"codec_type", or_unknown(av_get_media_type_string(codec.codec_type))}};
    if (codec.codec_type == AVMEDIA_TYPE_VIDEO) add_video(stream, json);
    if (codec.codec_type == AVMEDIA_TYPE_AUDIO) add_audio(codec, json);
    json["r_frame_rate"] = ratio_text(stream.r_frame_rate, '/');
    json["avg_frame_rate"] = ratio_text(stream.avg_frame_rate, '/');
    json["time_base"] = ratio_text(stream.time_base, '/');
    if (stream.start_time != AV_NOPTS_VALUE)
        json["start_time"] = seconds_text(stream.start_time, stream.time_base);
    if (stream.duration != AV_NOPTS_VALUE)
        json["duration"] = seconds_text(stream.duration, stream.time_base);
    if (codec.bit_rate > 0) json["bit_rate"] = std::to_string(codec.bit_rate);
    if (stream.nb_frames > 0) json["nb_frames"] = std::to_string(stream.nb_frames);
    json["disposition"] = disposition_json(stream.disposition);
    json["tags"] = tags_json(stream.metadata);
    if (const Json list = side_data_json(side_data); !list.empty()) json["side_data_list"] = list;
    return json;
}

Json format_json(const AVFormatContext& source, const std::string& path) {
    Json json = {{"filename", path},
                 {"nb_streams", source.nb_streams},
                 {"format_name", source.iformat->name},
                 {"format_long_name", or_unknown(source.iformat->long_name)}};
    if (source.start_time != AV_NOPTS_VALUE)
        json["start_time"] = seconds_text(source.start_time, av_get_time_base_q());
    if (source.duration != AV_NOPTS_VALUE)
        json["duration"] = seconds_text(source.duration, av_get_time_base_q());
    const std::int64_t size = source.pb == nullptr ? -1 : avio_size(source.pb);
    if (size >= 0) json["size"] = std::to_string(size);
    if (source.bit_rate > 0) json["bit_rate"] = std::to_string(source.bit_rate);
    json["nb_chapters"] = source.nb_chapters;
    json["tags"] = tags_json(source.metadata);
    return json;
}

Json containers_json(const Reader& reader) {
    Json list = Json::array();
    for (const ContainerOutlook& outlook : container_outlooks(reader))
        list.push_back({{"name", outlook.name},
                        {"extension", outlook.extension},
                        {"codec_name", outlook.codec},
                        {"pix_fmt", outlook.pixel_format},
                        {"holds_picture", !outlook.codec.empty() && outlook.losses.empty()},
                        {"losses", outlook.losses},
                        {"lossless_codec", outlook.lossless_codec},
                        {"streams", outlook.streams}});
    return list;
}

Json weft_json(const Reader& reader) {
    const AVFrame& frame = *reader.first_frame().av;
    const FrameInfo info = frame_info(frame, reader.rotation_degrees());
    return {{"schema", 1},
            {"version", kVersion},
            {"filtered_stream", reader.video_stream().index},
            {"pix_fmt", or_unknown(av_get_pix_fmt_name(reader.first_frame().format()))},
            {"width", info.width},
            {"height", info.height},
            {"depth_bits", info.depth_bits},
            {"full_range", info.full_range},
            {"rotation", reader.rotation_degrees()},
            {"interlaced", reader.interlaced()},
            {"still_image", reader.is_still_image()},
            {"frames_estimated", reader.estimated_frames()},
            {"notes", reader.notes()},
            {"containers", containers_json(reader)}};
}

}  // namespace

SideData side_data_of(const Reader& reader) {
    return completed(side_data_of(*reader.first_frame().av), side_data_of(reader.video_stream()));
}

Json info_json(const Reader& reader, const std::string& path) {
    Json streams = Json::array();
    for (unsigned k = 0; k < reader.source().nb_streams; ++k) {
        const AVStream& stream = *reader.source().streams[k];
        const bool filtered = stream.index == reader.video_stream().index;
        streams.push_back(
            stream_json(stream, filtered ? side_data_of(reader) : side_data_of(stream)));
    }
    return {{"streams", std::move(streams)},
            {"format", format_json(reader.source(), path)},
            {"weft", weft_json(reader)}};
}

}  // namespace weft
