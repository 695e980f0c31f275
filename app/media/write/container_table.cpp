#include "app/media/write/container_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/media/metadata/embedded_blocks.h"

extern "C" {
#include <libavformat/avformat.h>
}

namespace weft {
namespace {

constexpr NameList kX264{"libx264", "libx264rgb"};

constexpr std::array<std::string_view, 14> kAviTags{
    "artist", "comment", "copyright", "date",       "genre",    "language", "title",
    "album",  "track",   "encoder",   "encoded_by", "software", "timecode", "location"};

constexpr int kMatroskaDispositions = AV_DISPOSITION_DEFAULT | AV_DISPOSITION_DUB |
                                      AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_COMMENT |
                                      AV_DISPOSITION_FORCED | AV_DISPOSITION_HEARING_IMPAIRED |
                                      AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_DESCRIPTIONS;
constexpr int kMp4Dispositions = kMatroskaDispositions & ~AV_DISPOSITION_ORIGINAL;
constexpr int kWebmDispositions =
    AV_DISPOSITION_DEFAULT | AV_DISPOSITION_FORCED | AV_DISPOSITION_DESCRIPTIONS;
constexpr int kNutDispositions =
    AV_DISPOSITION_DEFAULT | AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_COMMENT;

constexpr unsigned kWebpBlocks = kExif | kXmp | kIccProfile;
constexpr unsigned kTiffBlocks = kWebpBlocks | kIptc | kResolution;
constexpr unsigned kJpgBlocks = kTiffBlocks | kComment;
constexpr unsigned kPngBlocks = kJpgBlocks | kPngChunks;

// A kind of picture file without a place for colour tags. Its name is its extension.
constexpr Container srgb_picture(std::string_view name, NameList encoders, unsigned blocks = 0) {
    return {.name = name,
            .extensions = {name},
            .kind = OutputKind::still,
            .video_codecs = encoders,
            .lossless_codecs = encoders,
            .clock = Clock::none,
            .color_tags = ColorTags::as_srgb,
            .features = kPipedOutput,
            .picture_blocks = blocks};
}

// The rows state what each muxer writes and its demuxer returns, as measured on FFmpeg 5.1.
constexpr std::array kContainers{
    Container{.name = "mp4",
              .muxer = "mp4",
              .extensions = {"mp4", "m4v"},
              .video_codecs = kX264,
              .lossless_codecs = kX264,
              .audio_codec = "aac",
              .subtitle_codec = "mov_text",
              .clock = Clock::movie,
              .negative_start = NegativeStart::other_streams,
              .cover = CoverStorage::picture_stream,
              .features = kRotation | kHdr10 | kLayouts | kPixelAspect | kChapters | kDataStreams |
                          kGlobalTags | kLanguages | kPipedOutput | kSegments,
              .dispositions = kMp4Dispositions},
    Container{.name = "mov",
              .muxer = "mov",
              .extensions = {"mov", "qt"},
              .video_codecs = kX264,
              .lossless_codecs = {"libx264", "libx264rgb", "png"},  // mov refuses FFV1
              .refused_codecs = {"vp8", "vp9", "av1"},
              .audio_codec = "aac",
              .subtitle_codec = "mov_text",
              .clock = Clock::movie,
              .negative_start = NegativeStart::other_streams,
              .features = kRotation | kHdr10 | kPixelAspect | kChapters | kDataStreams |
                          kGlobalTags | kLanguages | kPipedOutput | kSegments,
              .dispositions = AV_DISPOSITION_DEFAULT},
    Container{.name = "mkv",
              .muxer = "matroska",
              .extensions = {"mkv"},
              // VP9 supports formats that x264 does not: alpha, 12 bits, 4:4:0.
              .video_codecs = {"libx264", "libx264rgb", "libvpx-vp9"},
              .lossless_codecs = {"ffv1"},
              .refused_codecs = {"rv10", "rv20"},
              .audio_codec = "libopus",
              .subtitle_codec = "subrip",
              .clock = Clock::milliseconds,
              .negative_start = NegativeStart::other_streams,
              .cover = CoverStorage::attachment,
              .features = kHdr10 | kLayouts | kPixelAspect | kChapters | kChapterTags |
                          kAttachments | kGlobalTags | kLanguages | kPipedOutput | kSegments,
              .dispositions = kMatroskaDispositions},
    Container{.name = "webm",
              .muxer = "webm",
              .extensions = {"webm"},
              .video_codecs = {"libvpx-vp9"},
              .lossless_codecs = {"libvpx-vp9"},
              .audio_codec = "libopus",
              .subtitle_codec = "webvtt",
              .clock = Clock::milliseconds,
              .negative_start = NegativeStart::other_streams,
              .features = kHdr10 | kLayouts | kPixelAspect | kChapters | kGlobalTags | kLanguages |
                          kPipedOutput | kSegments,
              .dispositions = kWebmDispositions},
    Container{.name = "avi",
              .muxer = "avi",
              .extensions = {"avi"},
              .video_codecs = kX264,
              .lossless_codecs = {"ffv1"},
              .audio_codec = "libmp3lame",
              .clock = Clock::slots,
              .color_tags = ColorTags::in_streams,
              .features = kPixelAspect | kGlobalTags | kSegments,
              .tag_names = kAviTags},
    Container{.name = "nut",
              .muxer = "nut",
              .extensions = {"nut"},
              .video_codecs = {"ffv1"},
              .lossless_codecs = {"ffv1"},
              .audio_codec = "flac",
              .subtitle_codec = "ass",
              .clock = Clock::source,
              .color_tags = ColorTags::in_streams,
              .features = kPixelAspect | kChapters | kChapterTags | kGlobalTags | kLanguages |
                          kPipedOutput | kSegments,
              .dispositions = kNutDispositions},
    Container{.name = "y4m",
              .muxer = "yuv4mpegpipe",
              .extensions = {"y4m"},
              .video_codecs = {"wrapped_avframe"},
              .lossless_codecs = {"wrapped_avframe"},
              .clock = Clock::constant_rate,
              .color_tags = ColorTags::in_streams,
              .features = kPixelAspect | kPipedOutput},
    Container{.name = "rawvideo",
              .muxer = "rawvideo",
              .extensions = {"yuv"},
              .kind = OutputKind::raw,
              .video_codecs = {"rawvideo"},
              .lossless_codecs = {"rawvideo"},
              .clock = Clock::constant_rate,
              .color_tags = ColorTags::in_streams,
              .features = kPipedOutput},
    Container{.name = "gif",
              .muxer = "gif",
              .extensions = {"gif"},
              .video_codecs = {"gif"},
              .clock = Clock::centiseconds,
              .color_tags = ColorTags::as_srgb,
              .features = kPixelAspect},  // in 1/64
    Container{.name = "apng",
              .muxer = "apng",
              .extensions = {"apng"},
              .video_codecs = {"apng"},
              .lossless_codecs = {"apng"},
              .clock = Clock::delays,
              .features = kHdr10 | kPixelAspect},
    Container{.name = "png",
              .extensions = {"png"},
              .kind = OutputKind::still,
              .video_codecs = {"png"},
              .lossless_codecs = {"png"},
              .clock = Clock::none,
              .features = kHdr10 | kPixelAspect | kPipedOutput,
              .picture_blocks = kPngBlocks},
    Container{.name = "jpg",
              .extensions = {"jpg", "jpeg"},
              .kind = OutputKind::still,
              .video_codecs = {"mjpeg"},
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .features = kPixelAspect | kPipedOutput,
              .picture_blocks = kJpgBlocks},
    srgb_picture("bmp", {"bmp"}, kResolution),
    Container{.name = "tiff",
              .extensions = {"tif", "tiff"},
              .kind = OutputKind::still,
              .video_codecs = {"tiff"},
              .lossless_codecs = {"tiff"},
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .features = kPixelAspect | kPipedOutput,
              .picture_blocks = kTiffBlocks | kAssociatedAlpha},
    srgb_picture("webp", {"libwebp"}, kWebpBlocks),
    srgb_picture("jxl", {"libjxl"}),
    srgb_picture("tga", {"targa"}),
    srgb_picture("ppm", {"ppm"}),
    srgb_picture("pgm", {"pgm"}),
    srgb_picture("pnm", {"ppm", "pgm"}),
    srgb_picture("pam", {"pam"}),
    srgb_picture("pfm", {"pfm"}),
    Container{.name = "exr",
              .extensions = {"exr"},
              .kind = OutputKind::still,
              .video_codecs = {"exr"},
              .lossless_codecs = {"exr"},
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .features = kPixelAspect | kPipedOutput},
};

std::string lower_extension(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    if (!extension.empty()) extension.erase(0, 1);
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

const Container* by_format(const std::string& format) {
    for (const Container& row : kContainers)
        if (row.name == format || row.muxer == format) return &row;
    return nullptr;
}

const Container* by_extension(const std::string& extension) {
    for (const Container& row : kContainers)
        if (row.kind != OutputKind::raw && std::find(row.extensions.begin(), row.extensions.end(),
                                                     extension) != row.extensions.end())
            return &row;
    return nullptr;
}

std::string format_names() {
    std::vector<std::string_view> names;
    names.reserve(kContainers.size());
    for (const Container& row : kContainers) names.push_back(row.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// A kind of file, or libav's name for it, that weft does not write, and the nearest that it does.
struct Nearest {
    std::string_view kind;
    std::string_view written;
    bool copies = false;  // ffmpeg makes the one of the other without encoding
};

constexpr std::array kNearest = {
    Nearest{"ts", "mkv", true},     Nearest{"m2ts", "mkv", true}, Nearest{"mts", "mkv", true},
    Nearest{"mpegts", "mkv", true}, Nearest{"flv", "mp4", true},  Nearest{"f4v", "mp4", true},
    Nearest{"3gp", "mp4"},          Nearest{"m3u8", "mp4", true}, Nearest{"hls", "mp4"},
    Nearest{"mpd", "mp4", true},    Nearest{"dash", "mp4"},       Nearest{"ivf", "webm", true},
    Nearest{"h264", "mkv", true},   Nearest{"264", "mkv", true},  Nearest{"hevc", "mkv", true},
    Nearest{"265", "mkv", true},    Nearest{"wmv", "mkv"},        Nearest{"asf", "mkv"},
    Nearest{"ogv", "webm"},         Nearest{"ogg", "webm"},       Nearest{"mxf", "mov"},
    Nearest{"mpg", "mkv"},          Nearest{"mpeg", "mkv"},       Nearest{"vob", "mkv"},
    Nearest{"m2v", "mkv"},          Nearest{"mjpeg", "mkv"},      Nearest{"divx", "avi"},
    Nearest{"avif", "webp"},        Nearest{"heic", "jpg"},       Nearest{"heif", "jpg"},
    Nearest{"jp2", "png"},          Nearest{"j2k", "png"},        Nearest{"dpx", "tiff"},
    Nearest{"psd", "tiff"},         Nearest{"svg", "png"},
};

[[noreturn]] void refuse_format(const std::string& format) {
    if (format == "null")
        throw Error(Outcome::usage,
                    "-f null: write '-o null:', without -f, to filter without writing");
    if (format == "image2" || format == "image2pipe")
        throw Error(Outcome::usage,
                    fmt::format("-f {}: leave it out; the name of the output, shot_%03d.png, "
                                "chooses the kind of picture",
                                format));
    if (const auto near = std::ranges::find(kNearest, format, &Nearest::kind);
        near != kNearest.end())
        throw Error(Outcome::usage, fmt::format("-f {}: weft does not write it; -f {} is the "
                                                "nearest",
                                                format, near->written));
    throw Error(Outcome::usage, fmt::format("-f {}: no such output format; choose from {}", format,
                                            format_names()));
}

[[noreturn]] void refuse_name(const std::string& path) {
    if (path == "/dev/null" || path == "NUL" || path == "null")
        throw Error(Outcome::usage, path + ": write '-o null:' to filter without writing");
    if (path == "pipe:" || path == "pipe:1")
        throw Error(Outcome::usage, path + ": -o - writes to standard output");
    const std::string extension = lower_extension(path);
    const auto near = std::ranges::find(kNearest, extension, &Nearest::kind);
    if (near == kNearest.end())
        throw Error(
            Outcome::usage,
            fmt::format("{}: the name has no extension of a known format; end it in / for a "
                        "folder, in .{} or give -f",
                        path, fmt::join(output_extensions(), ", .")));
    const std::string instead =
        std::filesystem::path(path).replace_extension(std::string(near->written)).string();
    const std::string copy =
        near->copies ? fmt::format(", then ffmpeg -i {} -c copy {}", instead, path) : "";
    throw Error(Outcome::usage, fmt::format("{}: weft does not write .{} files; write {}{}", path,
                                            extension, instead, copy));
}

}  // namespace

std::span<const Container> containers() {
    return kContainers;
}

const Container& find_container(const std::string& path, const std::string& format) {
    if (!format.empty()) {
        if (const Container* row = by_format(format)) return *row;
        refuse_format(format);
    }
    if (path == "-")
        throw Error(Outcome::usage,
                    "standard output needs a format: give -f nut, -f y4m or -f mkv");
    if (const Container* row = by_extension(lower_extension(path))) return *row;
    refuse_name(path);
}

bool numbers_pictures(const std::string& output, const std::string& format) {
    const Container* row =
        format.empty() ? by_extension(lower_extension(output)) : by_format(format);
    return row != nullptr && row->kind == OutputKind::still && parse_sequence(output).has_value();
}

std::vector<std::string> output_extensions() {
    std::vector<std::string> result;
    for (const Container& row : kContainers)
        if (row.kind != OutputKind::raw)
            result.insert(result.end(), row.extensions.begin(), row.extensions.end());
    return result;
}

}  // namespace weft
