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

using Names = std::span<const std::string_view>;

template <std::size_t N>
using List = std::array<std::string_view, N>;

constexpr List<2> kMp4Ext{"mp4", "m4v"};
constexpr List<2> kMovExt{"mov", "qt"};
constexpr List<1> kMkvExt{"mkv"};
constexpr List<1> kWebmExt{"webm"};
constexpr List<1> kAviExt{"avi"};
constexpr List<1> kNutExt{"nut"};
constexpr List<1> kY4mExt{"y4m"};
constexpr List<1> kRawExt{"yuv"};
constexpr List<1> kGifExt{"gif"};
constexpr List<1> kApngExt{"apng"};
constexpr List<1> kPngExt{"png"};
constexpr List<2> kJpgExt{"jpg", "jpeg"};
constexpr List<1> kBmpExt{"bmp"};
constexpr List<2> kTiffExt{"tif", "tiff"};
constexpr List<1> kWebpExt{"webp"};
constexpr List<1> kJxlExt{"jxl"};
constexpr List<1> kTgaExt{"tga"};
constexpr List<1> kPpmExt{"ppm"};
constexpr List<1> kPgmExt{"pgm"};
constexpr List<1> kPnmExt{"pnm"};
constexpr List<1> kPamExt{"pam"};
constexpr List<1> kPfmExt{"pfm"};
constexpr List<1> kExrExt{"exr"};

constexpr List<3> kNotInMov{"vp8", "vp9", "av1"};
constexpr List<2> kNotInMkv{"rv10", "rv20"};

constexpr List<2> kX264{"libx264", "libx264rgb"};
// VP9 supports formats that x264 does not: alpha, 12 bits, 4:4:0.
constexpr List<3> kX264OrVp9{"libx264", "libx264rgb", "libvpx-vp9"};
constexpr List<3> kX264OrPng{"libx264", "libx264rgb", "png"};  // mov refuses FFV1
constexpr List<1> kVp9{"libvpx-vp9"};
constexpr List<1> kFfv1{"ffv1"};
constexpr List<1> kY4m{"wrapped_avframe"};
constexpr List<1> kRaw{"rawvideo"};
constexpr List<1> kGif{"gif"};
constexpr List<1> kApng{"apng"};
constexpr List<1> kPng{"png"};
constexpr List<1> kJpg{"mjpeg"};
constexpr List<1> kBmp{"bmp"};
constexpr List<1> kTiff{"tiff"};
constexpr List<1> kWebp{"libwebp"};
constexpr List<1> kJxl{"libjxl"};
constexpr List<1> kTga{"targa"};
constexpr List<1> kPpm{"ppm"};
constexpr List<1> kPgm{"pgm"};
constexpr List<2> kPnm{"ppm", "pgm"};
constexpr List<1> kPam{"pam"};
constexpr List<1> kPfm{"pfm"};
constexpr List<1> kExr{"exr"};

constexpr List<14> kAviTags{"artist",     "comment",  "copyright", "date",    "genre",
                            "language",   "title",    "album",     "track",   "encoder",
                            "encoded_by", "software", "timecode",  "location"};

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

// The rows state what each muxer writes and its demuxer returns, as measured on FFmpeg 5.1.
constexpr std::array kContainers{
    Container{.name = "mp4",
              .muxer = "mp4",
              .extensions = kMp4Ext,
              .video_codecs = kX264,
              .lossless_codecs = kX264,
              .audio_codec = "aac",
              .subtitle_codec = "mov_text",
              .clock = Clock::movie,
              .negative_start = NegativeStart::other_streams,
              .cover = CoverStorage::picture_stream,
              .rotation = true,
              .hdr10 = true,
              .layouts = true,
              .pixel_aspect = true,
              .chapters = true,
              .data_streams = true,
              .tags = true,
              .dispositions = kMp4Dispositions,
              .languages = true,
              .segments = true},
    Container{.name = "mov",
              .muxer = "mov",
              .extensions = kMovExt,
              .video_codecs = kX264,
              .lossless_codecs = kX264OrPng,
              .refused_codecs = kNotInMov,
              .audio_codec = "aac",
              .subtitle_codec = "mov_text",
              .clock = Clock::movie,
              .negative_start = NegativeStart::other_streams,
              .rotation = true,
              .hdr10 = true,
              .pixel_aspect = true,
              .chapters = true,
              .data_streams = true,
              .tags = true,
              .dispositions = AV_DISPOSITION_DEFAULT,
              .languages = true,
              .segments = true},
    Container{.name = "mkv",
              .muxer = "matroska",
              .extensions = kMkvExt,
              .video_codecs = kX264OrVp9,
              .lossless_codecs = kFfv1,
              .refused_codecs = kNotInMkv,
              .audio_codec = "libopus",
              .subtitle_codec = "subrip",
              .clock = Clock::milliseconds,
              .negative_start = NegativeStart::other_streams,
              .cover = CoverStorage::attachment,
              .hdr10 = true,
              .layouts = true,
              .pixel_aspect = true,
              .chapters = true,
              .chapter_tags = true,
              .attachments = true,
              .tags = true,
              .dispositions = kMatroskaDispositions,
              .languages = true,
              .standard_output = true,
              .segments = true},
    Container{.name = "webm",
              .muxer = "webm",
              .extensions = kWebmExt,
              .video_codecs = kVp9,
              .lossless_codecs = kVp9,
              .audio_codec = "libopus",
              .subtitle_codec = "webvtt",
              .clock = Clock::milliseconds,
              .negative_start = NegativeStart::other_streams,
              .hdr10 = true,
              .layouts = true,
              .pixel_aspect = true,
              .chapters = true,
              .tags = true,
              .dispositions = kWebmDispositions,
              .languages = true,
              .standard_output = true,
              .segments = true},
    Container{.name = "avi",
              .muxer = "avi",
              .extensions = kAviExt,
              .video_codecs = kX264,
              .lossless_codecs = kFfv1,
              .audio_codec = "libmp3lame",
              .clock = Clock::slots,
              .pixel_aspect = true,
              .color_tags = ColorTags::in_streams,
              .tags = true,
              .tag_names = kAviTags,
              .segments = true},
    Container{.name = "nut",
              .muxer = "nut",
              .extensions = kNutExt,
              .video_codecs = kFfv1,
              .lossless_codecs = kFfv1,
              .audio_codec = "flac",
              .subtitle_codec = "ass",
              .clock = Clock::source,
              .pixel_aspect = true,
              .color_tags = ColorTags::in_streams,
              .chapters = true,
              .chapter_tags = true,
              .tags = true,
              .dispositions = kNutDispositions,
              .languages = true,
              .standard_output = true,
              .segments = true},
    Container{.name = "y4m",
              .muxer = "yuv4mpegpipe",
              .extensions = kY4mExt,
              .video_codecs = kY4m,
              .lossless_codecs = kY4m,
              .clock = Clock::constant_rate,
              .pixel_aspect = true,
              .color_tags = ColorTags::in_streams,
              .standard_output = true},
    Container{.name = "rawvideo",
              .muxer = "rawvideo",
              .extensions = kRawExt,
              .kind = OutputKind::raw,
              .video_codecs = kRaw,
              .lossless_codecs = kRaw,
              .clock = Clock::constant_rate,
              .color_tags = ColorTags::in_streams,
              .standard_output = true},
    Container{.name = "gif",
              .muxer = "gif",
              .extensions = kGifExt,
              .video_codecs = kGif,
              .clock = Clock::centiseconds,
              .pixel_aspect = true,  // in 1/64
              .color_tags = ColorTags::as_srgb},
    Container{.name = "apng",
              .muxer = "apng",
              .extensions = kApngExt,
              .video_codecs = kApng,
              .lossless_codecs = kApng,
              .clock = Clock::delays,
              .hdr10 = true,
              .pixel_aspect = true},
    Container{.name = "png",
              .extensions = kPngExt,
              .kind = OutputKind::still,
              .video_codecs = kPng,
              .lossless_codecs = kPng,
              .clock = Clock::none,
              .hdr10 = true,
              .pixel_aspect = true,
              .standard_output = true,
              .picture_blocks = kPngBlocks},
    Container{.name = "jpg",
              .extensions = kJpgExt,
              .kind = OutputKind::still,
              .video_codecs = kJpg,
              .clock = Clock::none,
              .pixel_aspect = true,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true,
              .picture_blocks = kJpgBlocks},
    Container{.name = "bmp",
              .extensions = kBmpExt,
              .kind = OutputKind::still,
              .video_codecs = kBmp,
              .lossless_codecs = kBmp,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true,
              .picture_blocks = kResolution},
    Container{.name = "tiff",
              .extensions = kTiffExt,
              .kind = OutputKind::still,
              .video_codecs = kTiff,
              .lossless_codecs = kTiff,
              .clock = Clock::none,
              .pixel_aspect = true,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true,
              .picture_blocks = kTiffBlocks | kAssociatedAlpha},
    Container{.name = "webp",
              .extensions = kWebpExt,
              .kind = OutputKind::still,
              .video_codecs = kWebp,
              .lossless_codecs = kWebp,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true,
              .picture_blocks = kWebpBlocks},
    Container{.name = "jxl",
              .extensions = kJxlExt,
              .kind = OutputKind::still,
              .video_codecs = kJxl,
              .lossless_codecs = kJxl,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
    Container{.name = "tga",
              .extensions = kTgaExt,
              .kind = OutputKind::still,
              .video_codecs = kTga,
              .lossless_codecs = kTga,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
    Container{.name = "ppm",
              .extensions = kPpmExt,
              .kind = OutputKind::still,
              .video_codecs = kPpm,
              .lossless_codecs = kPpm,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
    Container{.name = "pgm",
              .extensions = kPgmExt,
              .kind = OutputKind::still,
              .video_codecs = kPgm,
              .lossless_codecs = kPgm,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
    Container{.name = "pnm",
              .extensions = kPnmExt,
              .kind = OutputKind::still,
              .video_codecs = kPnm,
              .lossless_codecs = kPnm,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
    Container{.name = "pam",
              .extensions = kPamExt,
              .kind = OutputKind::still,
              .video_codecs = kPam,
              .lossless_codecs = kPam,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
    Container{.name = "pfm",
              .extensions = kPfmExt,
              .kind = OutputKind::still,
              .video_codecs = kPfm,
              .lossless_codecs = kPfm,
              .clock = Clock::none,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
    Container{.name = "exr",
              .extensions = kExrExt,
              .kind = OutputKind::still,
              .video_codecs = kExr,
              .lossless_codecs = kExr,
              .clock = Clock::none,
              .pixel_aspect = true,
              .color_tags = ColorTags::as_srgb,
              .standard_output = true},
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

}  // namespace

std::span<const Container> containers() {
    return kContainers;
}

const Container& find_container(const std::string& path, const std::string& format) {
    if (!format.empty()) {
        if (const Container* row = by_format(format)) return *row;
        throw Error(Outcome::usage, fmt::format("-f {}: no such output format; there are {}",
                                                format, format_names()));
    }
    if (path == "-")
        throw Error(Outcome::usage,
                    "standard output needs a format: give -f nut, -f y4m or -f mkv");
    if (const Container* row = by_extension(lower_extension(path))) return *row;
    throw Error(Outcome::usage,
                fmt::format("{}: the name has no extension of a known format; end it in .{} "
                            "or give -f",
                            path, fmt::join(output_extensions(), ", .")));
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
