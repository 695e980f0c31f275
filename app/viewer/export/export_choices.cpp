#include "app/viewer/export/export_choices.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/write/encoder_traits.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 4> kMpegFiles{"mp4", "mov", "mkv", "avi"};
constexpr std::array<std::string_view, 3> kVp9Files{"mp4", "mkv", "webm"};
constexpr std::array<std::string_view, 3> kFfv1Files{"mkv", "avi", "nut"};
constexpr std::array<std::string_view, 3> kAv1Files{"mp4", "mkv", "webm"};
constexpr std::array<std::string_view, 2> kProresFiles{"mov", "mkv"};

struct CodecRow {
    std::string_view encoder;
    std::string_view label;
    // Containers that it is offered in besides those that have it in their row. Muxers accept more
    // than can be read back: with FFmpeg 5.1, H.264 in NUT loses its times.
    std::span<const std::string_view> files = {};
    bool on_gpu = false;
};

constexpr std::array kCodecs{
    CodecRow{.encoder = "libx264", .label = "H.264", .files = kMpegFiles},
    CodecRow{.encoder = "libx265", .label = "H.265", .files = kMpegFiles},
    CodecRow{.encoder = "libvpx-vp9", .label = "VP9", .files = kVp9Files},
    CodecRow{.encoder = "libsvtav1", .label = "AV1", .files = kAv1Files},
    CodecRow{.encoder = "libaom-av1", .label = "AV1 by libaom, slow", .files = kAv1Files},
    CodecRow{.encoder = "prores_ks", .label = "ProRes", .files = kProresFiles},
    CodecRow{.encoder = "ffv1", .label = "FFV1", .files = kFfv1Files},
    CodecRow{
        .encoder = "h264_nvenc", .label = "H.264 on the GPU", .files = kMpegFiles, .on_gpu = true},
    CodecRow{
        .encoder = "hevc_nvenc", .label = "H.265 on the GPU", .files = kMpegFiles, .on_gpu = true},
    CodecRow{.encoder = "libx264rgb", .label = "H.264 in RGB"},
    CodecRow{.encoder = "png", .label = "PNG"},
    CodecRow{.encoder = "apng", .label = "APNG"},
    CodecRow{.encoder = "gif", .label = "GIF"},
    CodecRow{.encoder = "mjpeg", .label = "JPEG"},
    CodecRow{.encoder = "libwebp", .label = "WebP"},
    CodecRow{.encoder = "libjxl", .label = "JPEG XL"},
    CodecRow{.encoder = "tiff", .label = "TIFF"},
    CodecRow{.encoder = "targa", .label = "TGA"},
    CodecRow{.encoder = "exr", .label = "OpenEXR"},
    CodecRow{.encoder = "wrapped_avframe", .label = "uncompressed"},
};

// On x264's scale 6 more halve the file; the steps are 5, and 8 on the longer scale of VP9 and AV1.
struct ScaleRow {
    std::string_view encoder;
    double balanced, smaller;
    CrfRange range;
    bool own_default = true;  // the default of encoder_traits() is `range.normal`
};

constexpr std::array kScales{
    ScaleRow{"libx264", 23, 28, {1, 51, 18}},
    ScaleRow{"libx264rgb", 23, 28, {1, 51, 18}},
    ScaleRow{"libsvtav1", 32, 40, {1, 63, 24}, false},
    ScaleRow{"libaom-av1", 32, 40, {1, 63, 24}, false},
    ScaleRow{"libx265", 25, 30, {1, 51, 20}},
    ScaleRow{"libvpx-vp9", 32, 40, {1, 63, 24}},
    ScaleRow{"h264_nvenc", 28, 33, {1, 51, 23}},
    ScaleRow{"hevc_nvenc", 28, 33, {1, 51, 23}},
    ScaleRow{"mjpeg", 23, 28, {1, 51, 18}},
    ScaleRow{"libwebp", 23, 28, {1, 51, 18}},
    ScaleRow{"libjxl", 23, 28, {1, 51, 18}},
};

const ScaleRow* scale_of(std::string_view encoder) {
    const auto* row = std::ranges::find(kScales, encoder, &ScaleRow::encoder);
    return row == kScales.end() ? nullptr : row;
}

const AVCodec* installed(std::string_view encoder) {
    return avcodec_find_encoder_by_name(std::string(encoder).c_str());
}

bool has(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::string label_of(std::string_view encoder) {
    const auto* row = std::ranges::find(kCodecs, encoder, &CodecRow::encoder);
    return std::string(row == kCodecs.end() ? encoder : row->label);
}

bool is_offered(const Container& container, const CodecRow& row,
                std::span<const std::string> gpu_encoders) {
    const AVCodec* encoder = installed(row.encoder);
    if (encoder == nullptr || !container_takes(container, encoder->id)) return false;
    const bool runs =
        !row.on_gpu || std::ranges::find(gpu_encoders, row.encoder) != gpu_encoders.end();
    return runs && (has(row.files, container.name) || has(container.video_codecs, row.encoder) ||
                    has(container.lossless_codecs, row.encoder));
}

std::string automatic_label(const Container& container, const FrameShape& shape) {
    const std::string encoder = encoder_of(container, shape, "", false);
    return encoder.empty() ? "Automatic" : fmt::format("Automatic ({})", label_of(encoder));
}

QualityChoice on_scale(ExportQuality quality, const char* label, std::string_view encoder) {
    const EncoderTraits& traits = encoder_traits(encoder);
    const std::optional<double> crf = crf_of(quality, encoder);
    if (encoder == "mjpeg" && !crf)
        return {quality, label,
                "The quality of the source if that is a single JPEG, otherwise mjpeg at crf 18."};
    return {quality, label,
            fmt::format("{} at {} {:.0f}{}. Lower numbers keep more detail and make larger files.",
                        encoder, traits.crf, crf.value_or(crf_range(encoder)->normal),
                        crf ? "" : ", its default here")};
}

QualityChoice without_loss(std::string_view encoder) {
    return {ExportQuality::lossless, "Lossless",
            fmt::format("{} keeps every sample. The finished file is decoded and compared with the "
                        "filtered frames. Makes the largest files.",
                        label_of(encoder))};
}

}  // namespace

std::vector<const Container*> export_containers(OutputKind kind) {
    std::vector<const Container*> found;
    for (const Container& row : containers())
        if (row.kind == kind && std::ranges::any_of(row.video_codecs, installed))
            found.push_back(&row);
    return found;
}

OutputKind kind_of(const ExportSource& source, const std::string& output) {
    return source.still || numbers_pictures(output, "") ? OutputKind::still : OutputKind::video;
}

const Container* container_of(const std::string& output) {
    try {
        return &find_container(output, "");
    } catch (const Error&) {
        return nullptr;
    }
}

std::string renamed_for(const std::string& output, const Container& container) {
    std::filesystem::path path(output);
    const bool known = container_of(output) != nullptr;  // else "take.2" would lose its ".2"
    const std::string ending = fmt::format(".{}", container.extensions.front());
    return known ? path.replace_extension(ending).string() : output + ending;
}

std::vector<CodecChoice> export_codecs(const Container& container, const ExportSource& source,
                                       std::span<const std::string> gpu_encoders) {
    std::vector<CodecChoice> choices = {{"", automatic_label(container, source.shape)}};
    for (const CodecRow& row : kCodecs) {
        if (!is_offered(container, row, gpu_encoders)) continue;
        const bool same = source.video_codec == avcodec_get_name(installed(row.encoder)->id);
        choices.push_back({std::string(row.encoder),
                           fmt::format("{}{}", row.label, same ? ", as in the source" : "")});
    }
    if (choices.size() == 2) choices.pop_back();  // the default is the only one
    return choices;
}

std::string encoder_of(const Container& container, const FrameShape& shape,
                       const std::string& codec, bool lossless) {
    if (shape.format == AV_PIX_FMT_NONE) return "";
    try {
        return choose_video(container, shape, {.codec = codec, .lossless = lossless}).encoder->name;
    } catch (const Error&) {
        return "";
    }
}

std::vector<QualityChoice> export_qualities(const Container& container, const FrameShape& shape,
                                            const std::string& codec) {
    using enum ExportQuality;
    std::vector<QualityChoice> choices;
    const std::string encoder = encoder_of(container, shape, codec, false);
    const std::string exact = encoder_of(container, shape, codec, true);
    const bool scaled = scale_of(encoder) != nullptr;
    if (scaled) {
        choices.push_back(on_scale(smaller, "Smaller", encoder));
        choices.push_back(on_scale(balanced, "Balanced", encoder));
        choices.push_back(on_scale(high, "High", encoder));
    } else if (!encoder_traits(encoder).always_lossless || exact.empty()) {
        choices.push_back({high, "Standard", label_of(encoder) + " has one quality here."});
    }
    if (!exact.empty()) choices.push_back(without_loss(exact));
    if (scaled) choices.push_back({custom, "Custom", "Choose a value on the encoder's own scale."});
    return choices;
}

ExportQuality nearest_quality(const std::vector<QualityChoice>& offered, ExportQuality wanted) {
    for (const ExportQuality quality : {wanted, ExportQuality::high})
        if (std::ranges::find(offered, quality, &QualityChoice::quality) != offered.end())
            return quality;
    return offered.front().quality;
}

std::optional<CrfRange> crf_range(std::string_view encoder) {
    const ScaleRow* row = scale_of(encoder);
    return row == nullptr ? std::nullopt : std::optional(row->range);
}

std::optional<double> crf_of(ExportQuality quality, std::string_view encoder) {
    const ScaleRow* row = scale_of(encoder);
    if (row == nullptr) return std::nullopt;
    switch (quality) {
        case ExportQuality::smaller:
            return row->smaller;
        case ExportQuality::balanced:
            return row->balanced;
        case ExportQuality::high:
            return row->own_default ? std::nullopt : std::optional(row->range.normal);
        case ExportQuality::lossless:
        case ExportQuality::custom:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace weft
