#include "app/media/read/given_tags.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "filters/text/nearest.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

// A key of -metadata. Without a stream, it is that of the whole file.
struct TagKey {
    std::string name;
    bool of_stream = false;
    std::optional<AVMediaType> type = {};     // of the streams; nothing: any
    std::optional<std::int64_t> number = {};  // of the stream among those of this type
};

constexpr std::string_view kOfStream = "s:";

// Muxers write these themselves, or not at all.
constexpr std::array<std::string_view, 5> kNotForUsers = {"major_brand", "minor_version",
                                                          "compatible_brands", "encoder", "rotate"};

// Returns the text up to the next ':', and removes both from `rest`.
std::string_view take_part(std::string_view& rest) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view part = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    return part;
}

AVMediaType type_of(std::string_view letter) {
    if (letter == "v") return AVMEDIA_TYPE_VIDEO;
    if (letter == "a") return AVMEDIA_TYPE_AUDIO;
    if (letter == "s") return AVMEDIA_TYPE_SUBTITLE;
    return AVMEDIA_TYPE_UNKNOWN;
}

TagKey parse_key(const std::string& text) {
    if (!text.starts_with(kOfStream)) return {.name = text};
    std::string_view rest = std::string_view(text).substr(kOfStream.size());
    TagKey key{.name = "", .of_stream = true};
    while (rest.find(':') != std::string_view::npos) {
        std::string_view left = rest;
        const std::string_view part = take_part(left);
        if (const AVMediaType type = type_of(part);
            type != AVMEDIA_TYPE_UNKNOWN && !key.type && !key.number)
            key.type = type;
        else if (const auto number = parse_whole_number(part); number && !key.number)
            key.number = number;
        else
            break;
        rest = left;
    }
    key.name = rest;
    if (!key.type && !key.number) key.name.clear();
    return key;
}

bool has_type(const AVStream& stream, const TagKey& key) {
    return !key.type || stream.codecpar->codec_type == *key.type;
}

void set(AVDictionary** tags, const TagKey& key, const std::string& value) {
    set_entry(tags, key.name.c_str(), value.empty() ? nullptr : value.c_str());
}

}  // namespace

void check_tag_key(const std::string& key) {
    const std::string name = parse_key(key).name;
    if (name.empty())
        throw Error(Outcome::usage,
                    fmt::format("-metadata {}: expected KEY=VALUE, or with -metadata:s:a:0 that of "
                                "the first audio stream",
                                shown(key)));
    if (std::ranges::find(kNotForUsers, name) == kNotForUsers.end()) return;
    throw Error(
        Outcome::usage,
        name == "rotate"
            ? "-metadata rotate: the rotation is kept as it is; ffmpeg -i OUT.mp4 -map 0 -c "
              "copy -metadata:s:v:0 rotate=90 NEW.mp4 changes that of the output"
            : fmt::format("-metadata {}: this tag describes the container, which writes it "
                          "itself",
                          name));
}

void set_tags(AVFormatContext& source, const std::map<std::string, std::string>& tags) {
    for (const auto& [text, value] : tags) {
        const TagKey key = parse_key(text);
        if (!key.of_stream) {
            set(&source.metadata, key, value);
            continue;
        }
        std::int64_t number = 0;
        bool found = false;
        for (AVStream* stream : std::span(source.streams, source.nb_streams)) {
            if (!has_type(*stream, key)) continue;
            if (!key.number || *key.number == number) {
                set(&stream->metadata, key, value);
                found = true;
            }
            ++number;
        }
        if (!found)
            throw Error(Outcome::usage,
                        fmt::format("-metadata:{}: the input has no such stream",
                                    text.substr(0, text.size() - key.name.size() - 1)));
    }
}

}  // namespace weft
