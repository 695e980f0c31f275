#include "app/media/write/source_metadata.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

extern "C" {
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/parseutils.h>
}

#include "app/media/metadata/embedded_blocks.h"

namespace weft {
namespace {

constexpr std::array kContainerTags{std::string_view("major_brand"),
                                    std::string_view("minor_version"),
                                    std::string_view("compatible_brands"),
                                    std::string_view("encoder"), std::string_view("creation_time")};

constexpr std::array kMp4Tags{
    std::string_view("title"),         std::string_view("artist"),
    std::string_view("album_artist"),  std::string_view("composer"),
    std::string_view("album"),         std::string_view("date"),
    std::string_view("comment"),       std::string_view("genre"),
    std::string_view("copyright"),     std::string_view("grouping"),
    std::string_view("lyrics"),        std::string_view("description"),
    std::string_view("synopsis"),      std::string_view("show"),
    std::string_view("episode_id"),    std::string_view("network"),
    std::string_view("keywords"),      std::string_view("track"),
    std::string_view("disc"),          std::string_view("compilation"),
    std::string_view("timecode"),      std::string_view("episode_sort"),
    std::string_view("season_number"), std::string_view("media_type"),
    std::string_view("hd_video"),      std::string_view("gapless_playback")};

constexpr std::array kMovTags{
    std::string_view("title"),    std::string_view("artist"),  std::string_view("album"),
    std::string_view("date"),     std::string_view("comment"), std::string_view("genre"),
    std::string_view("make"),     std::string_view("model"),   std::string_view("copyright"),
    std::string_view("location"), std::string_view("timecode")};

// libav's table of Macintosh languages (movenc 5.1), with its spelling.
constexpr std::array kMovLanguages{
    std::string_view("eng"), std::string_view("fra"), std::string_view("ger"),
    std::string_view("ita"), std::string_view("dut"), std::string_view("sve"),
    std::string_view("spa"), std::string_view("dan"), std::string_view("por"),
    std::string_view("nor"), std::string_view("heb"), std::string_view("jpn"),
    std::string_view("ara"), std::string_view("fin"), std::string_view("gre"),
    std::string_view("ice"), std::string_view("mlt"), std::string_view("tur"),
    std::string_view("chi"), std::string_view("urd"), std::string_view("hin"),
    std::string_view("tha"), std::string_view("kor"), std::string_view("lit"),
    std::string_view("pol"), std::string_view("hun"), std::string_view("est"),
    std::string_view("lav"), std::string_view("rus"), std::string_view("alb"),
    std::string_view("ron"), std::string_view("ces"), std::string_view("slk"),
    std::string_view("slv"), std::string_view("yid"), std::string_view("mac"),
    std::string_view("bul"), std::string_view("ukr"), std::string_view("bel"),
    std::string_view("uzb"), std::string_view("kaz"), std::string_view("aze"),
    std::string_view("arm"), std::string_view("geo"), std::string_view("mol"),
    std::string_view("kir"), std::string_view("tgk"), std::string_view("tuk"),
    std::string_view("mon"), std::string_view("pus"), std::string_view("kur"),
    std::string_view("kas"), std::string_view("snd"), std::string_view("tib"),
    std::string_view("nep"), std::string_view("san"), std::string_view("mar"),
    std::string_view("ben"), std::string_view("asm"), std::string_view("guj"),
    std::string_view("ori"), std::string_view("mal"), std::string_view("kan"),
    std::string_view("tam"), std::string_view("tel"), std::string_view("bur"),
    std::string_view("khm"), std::string_view("lao"), std::string_view("vie"),
    std::string_view("ind"), std::string_view("tgl"), std::string_view("may"),
    std::string_view("amh"), std::string_view("tir"), std::string_view("orm"),
    std::string_view("som"), std::string_view("swa"), std::string_view("run"),
    std::string_view("mlg"), std::string_view("epo")};

// Other spellings of ISO 639-2 for languages of that table.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kMovSpellings{
    {{"fre", "fra"},
     {"deu", "ger"},
     {"nld", "dut"},
     {"swe", "sve"},
     {"ell", "gre"},
     {"isl", "ice"},
     {"zho", "chi"},
     {"sqi", "alb"},
     {"rum", "ron"},
     {"cze", "ces"},
     {"slo", "slk"},
     {"mkd", "mac"},
     {"hye", "arm"},
     {"kat", "geo"},
     {"bod", "tib"},
     {"mya", "bur"},
     {"msa", "may"}}};

// Tags that muxers add to the streams they write; wrong once the packets change.
constexpr std::array kPacketTags{std::string_view("encoder"), std::string_view("duration"),
                                 std::string_view("bps"), std::string_view("number_of_frames"),
                                 std::string_view("number_of_bytes")};

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view key) {
    return std::find(names.begin(), names.end(), lower(key)) != names.end();
}

// "BPS-eng", "_STATISTICS_TAGS", …
bool describes_packets(std::string_view key) {
    const std::string name = lower(key);
    if (name.starts_with("_statistics_")) return true;
    return contains(kPacketTags, name.substr(0, name.find('-')));
}

const AVDictionaryEntry* next_entry(const AVDictionary* dict, const AVDictionaryEntry* previous) {
    return av_dict_get(dict, "", previous, AV_DICT_IGNORE_SUFFIX);
}

template <class Keep>
void copy_some(const AVDictionary* from, AVDictionary** to, Keep keep) {
    for (const AVDictionaryEntry* e = nullptr; (e = next_entry(from, e)) != nullptr;)
        if (keep(std::string_view(e->key))) set_entry(to, e->key, e->value);
}

void add_side_data(AVStream& to, AVPacketSideDataType type, const void* data, std::size_t size) {
    std::uint8_t* copy = av_stream_new_side_data(&to, type, size);
    if (copy == nullptr) throw_no_memory();
    std::memcpy(copy, data, size);
}

// Copies side data from the stream, or else from the first frame.
void lift(const AVStream& from, AVPacketSideDataType type, const AVFrame& first,
          AVFrameSideDataType frame_type, AVStream& to) {
    std::size_t size = 0;
    if (const std::uint8_t* data = av_stream_get_side_data(&from, type, &size))
        return add_side_data(to, type, data, size);
    if (const AVFrameSideData* data = av_frame_get_side_data(&first, frame_type))
        add_side_data(to, type, data->data, data->size);
}

// "2016-05-31 17:01:35" as UTC: libav takes it for the time of the machine's zone.
std::string with_zone(const std::string& time) {
    constexpr std::size_t kDate = 10;
    constexpr std::size_t kWhole = 19;
    const bool zoned = time.find_first_of("Zz+-", kDate) != std::string::npos;
    return time.size() < kWhole || zoned ? time : time + "Z";
}

bool same_moment(const std::string& one, const std::string& other) {
    constexpr std::int64_t kSecond = 1'000'000;
    std::int64_t times[2] = {};
    return av_parse_time(&times[0], with_zone(one).c_str(), 0) >= 0 &&
           av_parse_time(&times[1], with_zone(other).c_str(), 0) >= 0 &&
           std::abs(times[0] - times[1]) < kSecond;
}

// Tags that are written in another way, or that muxers make for the streams.
bool is_technical(std::string_view key) {
    constexpr std::array kNames{std::string_view("language"),    std::string_view("handler_name"),
                                std::string_view("vendor_id"),   std::string_view("alpha_mode"),
                                std::string_view("stereo_mode"), std::string_view("filename"),
                                std::string_view("mimetype"),    std::string_view("rotate"),
                                std::string_view("xmp")};
    return describes_packets(key) || contains(kNames, key) ||
           (contains(kContainerTags, key) && lower(key) != "creation_time");
}

struct Span {
    std::int64_t start = 0;
    std::int64_t end = 0;
};

std::optional<Span> cut(const AVChapter& chapter, TimeShift shift,
                        std::optional<std::int64_t> length_us) {
    const std::int64_t offset = shift.in(chapter.time_base);
    Span span{chapter.start - offset, chapter.end - offset};
    if (length_us) {
        const std::int64_t length = av_rescale_q(*length_us, {1, AV_TIME_BASE}, chapter.time_base);
        if (span.start >= length) return std::nullopt;
        span.end = std::min(span.end, length);
    }
    if (span.end <= 0 && chapter.end != chapter.start) return std::nullopt;
    span.start = std::max<std::int64_t>(span.start, 0);
    span.end = std::max(span.end, span.start);
    return span;
}

void free_chapter(AVChapter* chapter) noexcept {
    av_dict_free(&chapter->metadata);
    av_free(chapter);
}
using ChapterPtr = std::unique_ptr<AVChapter, CDelete<free_chapter>>;

ChapterPtr make_chapter(const AVChapter& from, const Span& span) {
    ChapterPtr chapter(static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter))));
    if (!chapter) throw_no_memory();
    chapter->id = from.id;
    chapter->time_base = from.time_base;
    chapter->start = span.start;
    chapter->end = span.end;
    if (av_dict_copy(&chapter->metadata, from.metadata, 0) < 0) throw_no_memory();
    return chapter;
}

}  // namespace

Tags tags_of(const AVDictionary* dict) {
    Tags tags;
    for (const AVDictionaryEntry* e = nullptr; (e = next_entry(dict, e)) != nullptr;)
        tags[e->key] = e->value;
    return tags;
}

std::vector<std::string> picture_tags(const AVDictionary* dict) {
    std::vector<std::string> names;
    for (const auto& [name, value] : tags_of(dict))
        if (may_hold_picture(value)) names.push_back(name);
    return names;
}

std::vector<std::string> missing_tags(const Tags& given, const AVDictionary* found) {
    std::vector<std::string> missing;
    for (const auto& [key, value] : given) {
        if (value.empty() || is_technical(key)) continue;
        const AVDictionaryEntry* const entry = av_dict_get(found, key.c_str(), nullptr, 0);
        const bool same = entry != nullptr &&
                          (value == entry->value ||
                           (lower(key) == "creation_time" && same_moment(value, entry->value)));
        if (!same) missing.push_back(key);
    }
    return missing;
}

void copy_tags(const AVFormatContext& from, AVFormatContext& to) {
    copy_some(from.metadata, &to.metadata,
              [](std::string_view key) { return !contains(kContainerTags, key); });
    if (const AVDictionaryEntry* time = av_dict_get(from.metadata, "creation_time", nullptr, 0))
        set_entry(&to.metadata, "creation_time", with_zone(time->value).c_str());
}

void copy_stream_tags(const AVStream& from, AVStream& to, bool encoded) {
    copy_some(from.metadata, &to.metadata,
              [encoded](std::string_view key) { return !encoded || !describes_packets(key); });
    to.disposition = from.disposition;
}

void copy_side_data(const AVStream& from, AVStream& to) {
    for (int i = 0; i < from.nb_side_data; ++i)
        add_side_data(to, from.side_data[i].type, from.side_data[i].data, from.side_data[i].size);
}

void copy_frame_side_data(const AVStream& from, const AVFrame& first, bool keep_matrix,
                          AVStream& to) {
    lift(from, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, first,
         AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, to);
    lift(from, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, first, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, to);
    lift(from, AV_PKT_DATA_STEREO3D, first, AV_FRAME_DATA_STEREO3D, to);
    lift(from, AV_PKT_DATA_SPHERICAL, first, AV_FRAME_DATA_SPHERICAL, to);
    if (keep_matrix) lift(from, AV_PKT_DATA_DISPLAYMATRIX, first, AV_FRAME_DATA_DISPLAYMATRIX, to);
}

// Primaries alone are a PNG's cHRM.
bool has_hdr10(const AVStream& stream, const AVFrame& first) {
    const AVFrameSideData* display =
        av_frame_get_side_data(&first, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
    const bool lit =
        display != nullptr &&
        reinterpret_cast<const AVMasteringDisplayMetadata*>(display->data)->has_luminance != 0;
    return av_stream_get_side_data(&stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, nullptr) !=
               nullptr ||
           av_stream_get_side_data(&stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, nullptr) != nullptr ||
           lit || av_frame_get_side_data(&first, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL) != nullptr;
}

void copy_chapters(const AVFormatContext& from, TimeShift shift,
                   std::optional<std::int64_t> length_us, AVFormatContext& to) {
    to.chapters =
        static_cast<AVChapter**>(av_calloc(std::max(from.nb_chapters, 1U), sizeof(AVChapter*)));
    if (to.chapters == nullptr) throw_no_memory();
    for (unsigned i = 0; i < from.nb_chapters; ++i)
        if (const auto span = cut(*from.chapters[i], shift, length_us))
            to.chapters[to.nb_chapters++] = make_chapter(*from.chapters[i], *span).release();
}

std::vector<std::string> content_tags(const AVFormatContext& from) {
    std::vector<std::string> names;
    for (const AVDictionaryEntry* e = nullptr; (e = next_entry(from.metadata, e)) != nullptr;)
        if (!contains(kContainerTags, e->key)) names.emplace_back(e->key);
    return names;
}

std::vector<std::string> program_names(const AVFormatContext& from) {
    constexpr std::string_view kPlaceholder = "Service01";  // of libav's muxer
    std::vector<std::string> names;
    for (const AVProgram* program : std::span(from.programs, from.nb_programs))
        if (const AVDictionaryEntry* name =
                av_dict_get(program->metadata, "service_name", nullptr, 0);
            name != nullptr && name->value != kPlaceholder)
            names.emplace_back(name->value);
    return names;
}

std::vector<std::string> header_texts(const AVStream& stream, const AVFrame& first) {
    const AVCodecID codec = stream.codecpar->codec_id;
    std::vector<std::string> names;
    if (codec != AV_CODEC_ID_FITS && codec != AV_CODEC_ID_DPX) return names;
    for (const AVDictionaryEntry* e = nullptr; (e = next_entry(first.metadata, e)) != nullptr;) {
        const std::string text = lower(e->value);
        if (!text.empty() && !text.starts_with("lavc")) names.emplace_back(e->key);
    }
    return names;
}

std::span<const std::string_view> mp4_tags() {
    return kMp4Tags;
}

std::span<const std::string_view> mov_tags() {
    return kMovTags;
}

std::vector<std::string> tags_outside(const std::vector<std::string>& tags,
                                      std::span<const std::string_view> names) {
    std::vector<std::string> outside;
    for (const std::string& tag : tags)
        if (std::find(names.begin(), names.end(), lower(tag)) == names.end())
            outside.push_back(tag);
    return outside;
}

std::string mov_language(const std::string& code) {
    for (const auto& [other, own] : kMovSpellings)
        if (code == other) return std::string(own);
    const bool known =
        std::find(kMovLanguages.begin(), kMovLanguages.end(), code) != kMovLanguages.end();
    return known ? code : std::string();
}

}  // namespace weft
