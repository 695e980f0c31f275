#include "app/media/write/encoder_traits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>
}

namespace weft {
namespace {

using Options = std::span<const EncoderOption>;

constexpr std::string_view kX264Presets =
    "ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo";

constexpr std::array kX264{EncoderOption{"preset", "medium"}, EncoderOption{"udu_sei", "1"}};
constexpr double kX264MostCrf = 51;  // x265's, too; libav would accept any number
constexpr std::array kX264Quality{EncoderOption{"crf", "18"}};
// crf 0 is not lossless at 10 bits; qp 0 is at both.
constexpr std::array kX264Lossless{EncoderOption{"qp", "0"}};
// With AVX-512, x264 r3095 is not repeatable at some widths: at 160x90, no two of six runs gave the
// same frames; with AVX2 all ten did. It is also repeatable without its macroblock tree.
constexpr std::array kX264Avx2{EncoderOption{"x264-params", "asm=avx2,bmi2,fma3"}};
// x265 prints to standard error on its own.
constexpr std::array kX265{EncoderOption{"preset", "medium"}, EncoderOption{"udu_sei", "1"},
                           EncoderOption{"x265-params", "log-level=none"}};
constexpr std::array kX265Quality{EncoderOption{"crf", "20"}};
constexpr std::array kX265Lossless{EncoderOption{"x265-params", "lossless=1"}};
// About 9 fps at 720p on two cores; libvpx's own defaults reach 5.
constexpr std::array kVp9{EncoderOption{"row-mt", "1"}, EncoderOption{"cpu-used", "4"}};
constexpr std::array kVp9Quality{EncoderOption{"crf", "24"}, EncoderOption{"b", "0"}};
constexpr std::array kVp9Lossless{EncoderOption{"lossless", "1"}};
// Version 3 with checksums in every slice, every frame a key frame: corruption costs one frame.
constexpr std::array kFfv1{EncoderOption{"level", "3"}, EncoderOption{"slicecrc", "1"},
                           EncoderOption{"g", "1"}};
constexpr QualityScale kQuantiser{.best = 1, .worst = 31};
constexpr QualityScale kPercent{.best = 100, .worst = 0};
constexpr std::array kScaleTwo{EncoderOption{"flags", "+qscale"},
                               EncoderOption{"global_quality", "236"}};  // 2 * FF_QP2LAMBDA
constexpr std::array kWebpQuality{EncoderOption{"quality", "90"}};
constexpr std::array kWebpLossless{EncoderOption{"lossless", "1"}};
constexpr std::array kWebpLosslessFormats{AV_PIX_FMT_BGRA};
constexpr std::array kExr{EncoderOption{"compression", "zip16"}};
constexpr std::array kJxlQuality{EncoderOption{"distance", "1"}};
constexpr std::array kJxlLossless{EncoderOption{"distance", "0"}};

// x264's key frame interval; a driver's may be infinite.
constexpr std::array kNvenc{EncoderOption{"rc", "vbr"}, EncoderOption{"g", "250"}};
constexpr std::array kNvencQuality{EncoderOption{"cq", "23"}, EncoderOption{"b", "0"}};
constexpr std::string_view kNvencPresets = "p1, p2, p3, p4, p5, p6, p7, fast, medium, slow";

// Encoders store these with libav's defaults and the option udu_sei.
constexpr std::array kCaptions{AV_FRAME_DATA_A53_CC};
constexpr std::array kUserData{AV_FRAME_DATA_SEI_UNREGISTERED};
constexpr std::array kX264SideData{AV_FRAME_DATA_A53_CC, AV_FRAME_DATA_SEI_UNREGISTERED,
                                   AV_FRAME_DATA_STEREO3D};
constexpr std::array kMpeg2SideData{AV_FRAME_DATA_A53_CC, AV_FRAME_DATA_STEREO3D};

constexpr std::array kBigEndianFormats{AV_PIX_FMT_RGB24,    AV_PIX_FMT_RGBA,  AV_PIX_FMT_RGB48BE,
                                       AV_PIX_FMT_RGBA64BE, AV_PIX_FMT_GRAY8, AV_PIX_FMT_YA8,
                                       AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_YA16BE};
constexpr std::array kBmpFormats{AV_PIX_FMT_BGR24, AV_PIX_FMT_BGRA, AV_PIX_FMT_GRAY8};
constexpr std::array kTgaFormats{AV_PIX_FMT_BGR24, AV_PIX_FMT_BGRA, AV_PIX_FMT_GRAY8};
// Subsampled TIFF exists, but hardly any viewer shows it.
constexpr std::array kTiffFormats{AV_PIX_FMT_RGB24,    AV_PIX_FMT_RGBA,  AV_PIX_FMT_RGB48LE,
                                  AV_PIX_FMT_RGBA64LE, AV_PIX_FMT_GRAY8, AV_PIX_FMT_YA8,
                                  AV_PIX_FMT_GRAY16LE, AV_PIX_FMT_YA16LE};
constexpr std::array kJxlFormats{AV_PIX_FMT_RGB24,    AV_PIX_FMT_RGBA,  AV_PIX_FMT_RGB48LE,
                                 AV_PIX_FMT_RGBA64LE, AV_PIX_FMT_GRAY8, AV_PIX_FMT_YA8,
                                 AV_PIX_FMT_GRAY16LE, AV_PIX_FMT_YA16LE};
constexpr std::array kPfmFormats{AV_PIX_FMT_GBRPF32LE, AV_PIX_FMT_GRAYF32LE};
constexpr std::array kJpegFormats{AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P};
constexpr std::array kGifFormats{AV_PIX_FMT_PAL8};
// NVENC cuts deeper 4:4:4 to 10 bits and turns packed RGB into YUV by a matrix of its own.
constexpr std::array kNvencH264Formats{AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV444P};
constexpr std::array kNvencHevcFormats{AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_P010,
                                       AV_PIX_FMT_YUV444P};
constexpr std::array kY4mFormats{
    AV_PIX_FMT_YUV420P,   AV_PIX_FMT_YUV422P,   AV_PIX_FMT_YUV444P,   AV_PIX_FMT_YUV411P,
    AV_PIX_FMT_GRAY8,     AV_PIX_FMT_GRAY9,     AV_PIX_FMT_GRAY10,    AV_PIX_FMT_GRAY12,
    AV_PIX_FMT_GRAY16,    AV_PIX_FMT_YUV420P9,  AV_PIX_FMT_YUV422P9,  AV_PIX_FMT_YUV444P9,
    AV_PIX_FMT_YUV420P10, AV_PIX_FMT_YUV422P10, AV_PIX_FMT_YUV444P10, AV_PIX_FMT_YUV420P12,
    AV_PIX_FMT_YUV422P12, AV_PIX_FMT_YUV444P12, AV_PIX_FMT_YUV420P14, AV_PIX_FMT_YUV422P14,
    AV_PIX_FMT_YUV444P14, AV_PIX_FMT_YUV420P16, AV_PIX_FMT_YUV422P16, AV_PIX_FMT_YUV444P16};

// FFmpeg's NVENC (5.1) spaces decoding times before the first frame by units of its clock, not by
// frames: it gets no times. GPUs since Turing do not encode fields.
constexpr EncoderTraits nvenc(std::string_view name, std::span<const AVPixelFormat> formats,
                              std::string_view software) {
    return {.name = name,
            .defaults = kNvenc,
            .quality = kNvencQuality,
            .formats = formats,
            .keeps_gray = false,
            .whole_chroma = true,
            .side_data = kCaptions,
            .presets = kNvencPresets,
            .crf = "cq",
            .least_crf = 1,  // 0 leaves it to the encoder
            .codes_fields = false,
            .software = software};
}

constexpr std::array kTraits{
    EncoderTraits{.name = "libx264",
                  .defaults = kX264,
                  .quality = kX264Quality,
                  .lossless = kX264Lossless,
                  .takes_times = true,
                  .repeatable_avx512 = kX264Avx2,
                  .keeps_gray = false,
                  .whole_chroma = true,
                  .side_data = kX264SideData,
                  .presets = kX264Presets,
                  .most_crf = kX264MostCrf,
                  .frames_held = 60},
    EncoderTraits{.name = "libx264rgb",
                  .defaults = kX264,
                  .quality = kX264Quality,
                  .lossless = kX264Lossless,
                  .takes_times = true,
                  .repeatable_avx512 = kX264Avx2,
                  .keeps_gray = false,
                  .side_data = kX264SideData,
                  .presets = kX264Presets,
                  .most_crf = kX264MostCrf,
                  .frames_held = 60},
    EncoderTraits{.name = "libx265",
                  .defaults = kX265,
                  .quality = kX265Quality,
                  .lossless = kX265Lossless,
                  .takes_times = true,
                  .thread_params = "x265-params",
                  .thread_text = "pools={0}:frame-threads={1}",
                  .whole_chroma = true,
                  .side_data = kUserData,
                  .presets = kX264Presets,
                  .most_crf = kX264MostCrf,
                  .frames_held = 60},
    nvenc("h264_nvenc", kNvencH264Formats, "libx264"),
    nvenc("hevc_nvenc", kNvencHevcFormats, "libx265"),
    EncoderTraits{.name = "libvpx-vp9",
                  .defaults = kVp9,
                  .quality = kVp9Quality,
                  .lossless = kVp9Lossless,
                  .keeps_gray = false,
                  .frames_held = 40},
    // Measured with version 1.4.
    EncoderTraits{.name = "libsvtav1",
                  .takes_times = true,
                  .thread_params = "svtav1-params",
                  .thread_text = "lp={0}",
                  .needs_a_frame = true,
                  .frames_held = 60},
    EncoderTraits{.name = "librav1e", .takes_times = true, .frames_held = 60},
    EncoderTraits{.name = "ffv1", .defaults = kFfv1, .always_lossless = true},
    EncoderTraits{.name = "png", .always_lossless = true, .formats = kBigEndianFormats},
    EncoderTraits{.name = "apng", .always_lossless = true, .formats = kBigEndianFormats},
    EncoderTraits{.name = "pam", .always_lossless = true, .formats = kBigEndianFormats},
    EncoderTraits{.name = "pfm", .always_lossless = true, .formats = kPfmFormats},
    EncoderTraits{.name = "exr", .defaults = kExr, .always_lossless = true},
    EncoderTraits{.name = "ppm", .always_lossless = true},
    EncoderTraits{.name = "pgm", .always_lossless = true},
    EncoderTraits{.name = "targa", .always_lossless = true, .formats = kTgaFormats},
    EncoderTraits{.name = "bmp", .always_lossless = true, .formats = kBmpFormats},
    EncoderTraits{.name = "tiff", .always_lossless = true, .formats = kTiffFormats},
    EncoderTraits{.name = "libwebp",
                  .quality = kWebpQuality,
                  .lossless = kWebpLossless,
                  .lossless_formats = kWebpLosslessFormats,
                  .keeps_gray = false,
                  .scale = kPercent},
    // FFmpeg 5 passes the profile on too late: libjxl refuses it, and prints a line of its own.
    EncoderTraits{.name = "libjxl",
                  .quality = kJxlQuality,
                  .lossless = kJxlLossless,
                  .formats = kJxlFormats,
                  .takes_icc = false,
                  .scale = kPercent},
    EncoderTraits{.name = "mjpeg",
                  .quality = kScaleTwo,
                  .formats = kJpegFormats,
                  .keeps_gray = false,
                  .scale = kQuantiser},
    EncoderTraits{.name = "gif", .formats = kGifFormats, .keeps_gray = false},
    // With another size the encoder starts, and refuses the first frame.
    EncoderTraits{.name = "xface", .only_side = 48},
    EncoderTraits{.name = "wrapped_avframe", .always_lossless = true, .formats = kY4mFormats},
    EncoderTraits{.name = "rawvideo", .always_lossless = true},
    EncoderTraits{.name = "mpeg4", .quality = kScaleTwo, .keeps_gray = false, .scale = kQuantiser},
    EncoderTraits{
        .name = "libxvid", .quality = kScaleTwo, .keeps_gray = false, .scale = kQuantiser},
    EncoderTraits{.name = "mpeg2video",
                  .quality = kScaleTwo,
                  .keeps_gray = false,
                  .side_data = kMpeg2SideData,
                  .scale = kQuantiser},
    EncoderTraits{
        .name = "mpeg1video", .quality = kScaleTwo, .keeps_gray = false, .scale = kQuantiser},
};

constexpr EncoderTraits kUnknown{};

// Options that libav declares for all codecs. Encoders ignore those that mean nothing to them.
struct SharedOption {
    std::string_view name;
    bool (*is_used)(const AVCodec& encoder, int properties) = nullptr;
};

bool predicts(const AVCodec& /*encoder*/, int properties) {
    return (properties & AV_CODEC_PROP_INTRA_ONLY) == 0;
}

bool reorders(const AVCodec& /*encoder*/, int properties) {
    return (properties & AV_CODEC_PROP_REORDER) != 0;
}

bool has_rate(const AVCodec& /*encoder*/, int properties) {
    return (properties & AV_CODEC_PROP_LOSSY) != 0;
}

constexpr std::array kShared{
    SharedOption{"g", predicts},
    SharedOption{"keyint_min",
                 [](const AVCodec& encoder, int properties) {
                     return predicts(encoder, properties) && encoder.id != AV_CODEC_ID_AV1;
                 }},
    SharedOption{"bf", reorders},
    SharedOption{"refs", reorders},
    SharedOption{"maxrate", has_rate},
    SharedOption{"bufsize", has_rate},
    SharedOption{"profile",
                 [](const AVCodec& encoder, int) { return encoder.profiles != nullptr; }},
};

// The device is the one that filters. The others belong to two passes and name files.
constexpr std::array<std::string_view, 4> kNotForUsers = {"gpu", "stats", "passlogfile",
                                                          "fastfirstpass"};

bool has_private_option(const AVCodec& encoder, std::string_view name) {
    const AVClass* options = encoder.priv_class;
    if (options == nullptr) return false;
    const AVOption* option =
        av_opt_find(&options, std::string(name).c_str(), nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ);
    return option != nullptr && (option->flags & AV_OPT_FLAG_ENCODING_PARAM) != 0;
}

}  // namespace

const EncoderTraits& encoder_traits(std::string_view name) {
    for (const EncoderTraits& row : kTraits)
        if (row.name == name) return row;
    return kUnknown;
}

double quality_of_crf(const QualityScale& scale, double crf) {
    const double size = std::exp2((crf - kDefaultCrf) / 6);
    if (scale.best < scale.worst) return std::clamp(2 * size, scale.best, scale.worst);
    // Those from 0 to 100 follow libjpeg's, in which quantisers of a fifth of those at 50 are 90.
    return size < 5 ? 100 - 10 * size : 250 / size;
}

int frames_held(const EncoderTraits& traits, const std::string& preset) {
    const std::string list = fmt::format(", {},", traits.presets);
    const auto place = [&](std::string_view name) { return list.find(fmt::format(" {},", name)); };
    if (place("medium") == std::string::npos || preset.empty()) return traits.frames_held;
    const auto faster = [&](std::string_view name) {
        return std::ranges::count(list.substr(0, place(name)), ',');
    };
    constexpr int kPerPreset = 12;
    const auto steps = static_cast<int>(faster("medium") - faster(preset));
    return std::max(0, traits.frames_held - kPerPreset * steps);
}

bool takes_option(const AVCodec& encoder, std::string_view name) {
    if (std::ranges::find(kNotForUsers, name) != kNotForUsers.end()) return false;
    if (has_private_option(encoder, name)) return true;
    const auto shared = std::ranges::find(kShared, name, &SharedOption::name);
    const AVCodecDescriptor* codec = avcodec_descriptor_get(encoder.id);
    return shared != kShared.end() && codec != nullptr && shared->is_used(encoder, codec->props);
}

bool is_encoder_option(std::string_view name) {
    void* position = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&position))
        if (av_codec_is_encoder(codec) != 0 && codec->type == AVMEDIA_TYPE_VIDEO &&
            takes_option(*codec, name))
            return true;
    return false;
}

std::string refusal_reason(const AVCodec& encoder, const std::string& logged) {
    if (!logged.ends_with("profiles:")) return logged;
    std::vector<std::string_view> profiles;
    for (const AVOption* option = nullptr;
         (option = av_opt_next(&encoder.priv_class, option)) != nullptr;)
        if (option->type == AV_OPT_TYPE_CONST && std::string_view(option->unit) == "profile")
            profiles.emplace_back(option->name);
    return fmt::format("{}; -profile:v takes {}", logged.substr(0, logged.find(". ")),
                       fmt::join(profiles, ", "));
}

}  // namespace weft
