extern "C" {
#include <libavutil/parseutils.h>
}

#include <fmt/format.h>

#include "app/cli/info/info_report.h"
#include "app/cli/terminal/text_table.h"
#include "app/pipeline/times.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end()) return "";
    return found->is_string() ? found->get<std::string>() : found->dump();
}

// "30000/1001" as "29.97"; empty for 0/0, which means unknown.
std::string rate_text(const std::string& ratio) {
    AVRational rate{0, 0};
    if (av_parse_ratio(&rate, ratio.c_str(), 1 << 30, 0, nullptr) < 0 || rate.num <= 0) return "";
    return fmt::format("{:.5g}", av_q2d(rate));
}

std::string picture_text(const Json& stream) {
    std::string text = fmt::format("{}x{} {}", text_of(stream, "width"), text_of(stream, "height"),
                                   text_of(stream, "pix_fmt"));
    const std::string rate = rate_text(text_of(stream, "avg_frame_rate"));
    return rate.empty() ? text : fmt::format("{}, {} fps", text, rate);
}

std::string sound_text(const Json& stream) {
    return fmt::format("{} Hz, {} channels", text_of(stream, "sample_rate"),
                       text_of(stream, "channels"));
}

std::string stream_line(const Json& stream, int filtered) {
    const std::string type = text_of(stream, "codec_type");
    std::string line = fmt::format("  stream {}  {:<11} {}", text_of(stream, "index"), type,
                                   text_of(stream, "codec_name"));
    if (type == "video") line += ", " + picture_text(stream);
    if (type == "audio") line += ", " + sound_text(stream);
    const Json& tags = stream.at("tags");
    const std::string language = text_of(tags, "language");
    if (!language.empty() && language != "und") line += ", " + language;
    if (stream.at("index") == filtered) line += "  <- filtered";
    return printable_line(line) + "\n";
}

std::string joined(const std::vector<std::string>& list) {
    return list.empty() ? "-" : fmt::format("{}", fmt::join(list, "; "));
}

// One line per fact. The rotation is in the line of the frames.
std::string side_data_text(SideData data) {
    data.rotation_degrees.reset();
    std::string text;
    for (const Fact& fact : facts(data))
        text += fmt::format("  {}: {}\n", fact.name, printable_line(fact.value));
    return text;
}

std::string containers_text(const Reader& reader) {
    TextTable table({"container", "video", "lossless", "lost in the picture", "other streams"});
    for (const ContainerOutlook& outlook : container_outlooks(reader))
        table.add({outlook.name, fmt::format("{} {}", outlook.codec, outlook.pixel_format),
                   outlook.lossless_codec.empty() ? "-" : outlook.lossless_codec,
                   joined(outlook.losses), joined(outlook.streams)});
    return table.text();
}

}  // namespace

std::string info_text(const Reader& reader, const std::string& path) {
    const Json info = info_json(reader, path);
    const Json& format = info.at("format");
    const Json& weft = info.at("weft");
    std::string text = fmt::format("{}: {}", printable_line(path), text_of(format, "format_name"));
    if (format.contains("duration"))
        text += fmt::format(", {}", clock_text(std::stod(text_of(format, "duration"))));
    text += fmt::format(", {} chapters\n", text_of(format, "nb_chapters"));
    for (const Json& stream : info.at("streams"))
        text += stream_line(stream, reader.video_stream().index);
    text += fmt::format("  frames: {}x{} {}, {} bits, {} range", text_of(weft, "width"),
                        text_of(weft, "height"), text_of(weft, "pix_fmt"),
                        text_of(weft, "depth_bits"), weft.at("full_range") ? "full" : "limited");
    if (reader.rotation_degrees() != 0)
        text += fmt::format(", turned by {} degrees", reader.rotation_degrees());
    if (reader.interlaced()) text += ", interlaced";
    if (reader.estimated_frames() > 0)
        text += fmt::format(", {} frames", reader.estimated_frames());
    text += "\n" + side_data_text(side_data_of(reader));
    for (const std::string& note : reader.notes())
        text += fmt::format("  note: {}\n", printable_line(note));
    return text + "\n" + containers_text(reader);
}

}  // namespace weft
