#include "app/media/write/video_choice.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/metadata/jpeg_tables.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/write/encoder_traits.h"
#include "app/media/write/writer.h"
#include "filters/text/nearest.h"

extern "C" {
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace weft {
namespace {

using Formats = std::vector<AVPixelFormat>;

bool holds_samples(AVPixelFormat format) {
    return (av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_HWACCEL) == 0;
}

[[noreturn]] void usage(const std::string& text) {
    throw Error(Outcome::usage, text);
}

// libav writes any format as raw video, but formats without a tag are read back wrongly: floating
// point as rgb555le.
Formats raw_formats() {
    Formats result;
    for (const AVPixFmtDescriptor* d = nullptr; (d = av_pix_fmt_desc_next(d)) != nullptr;) {
        const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
        if (avcodec_pix_fmt_to_codec_tag(format) != 0 && sws_isSupportedOutput(format) != 0)
            result.push_back(format);
    }
    return result;
}

// The result is empty if the encoder accepts any format.
Formats all_formats(const AVCodec& encoder) {
    if (encoder.id == AV_CODEC_ID_RAWVIDEO) return raw_formats();
    Formats result;
    for (const AVPixelFormat* f = encoder.pix_fmts; f != nullptr && *f != AV_PIX_FMT_NONE; ++f)
        if (holds_samples(*f)) result.push_back(*f);
    return result;
}

// Returns the formats of the encoder that weft uses.
Formats encoder_formats(const AVCodec& encoder, bool lossless) {
    const EncoderTraits& traits = encoder_traits(encoder.name);
    if (lossless && !traits.lossless_formats.empty())
        return {traits.lossless_formats.begin(), traits.lossless_formats.end()};
    if (!traits.formats.empty()) return {traits.formats.begin(), traits.formats.end()};
    Formats result = all_formats(encoder);
    if (!traits.keeps_gray)
        std::erase_if(result, [](AVPixelFormat f) { return pixel_traits(f).gray; });
    return result;
}

bool size_fits(const EncoderTraits& traits, const FrameShape& shape, AVPixelFormat format) {
    if (!traits.whole_chroma) return true;
    const PixelTraits pixel = pixel_traits(format);
    return shape.width % (1 << pixel.log2_chroma_w) == 0 &&
           shape.height % (1 << pixel.log2_chroma_h) == 0;
}

// Smaller is better: loss counts first, then waste.
int distance(AVPixelFormat from, AVPixelFormat to) {
    if (without_range(from) == without_range(to)) return from == to ? -2 : -1;
    const PixelTraits a = pixel_traits(from);
    const PixelTraits b = pixel_traits(to);
    const auto lost = [](int had, int has) { return std::max(0, had - has); };
    const bool swapped = (av_pix_fmt_desc_get(to)->flags & AV_PIX_FMT_FLAG_BE) != 0;
    int result = b.bits + (swapped ? 1 : 0);
    if (to == AV_PIX_FMT_PAL8) result += 20'000'000;
    if (!a.gray && b.gray) result += 10'000'000;
    if (a.alpha && !b.alpha) result += 1'000'000;
    result += 100'000 * lost(a.depth, b.depth);
    if (!a.gray)
        result += 10'000 *
                  (lost(b.log2_chroma_w, a.log2_chroma_w) + lost(b.log2_chroma_h, a.log2_chroma_h));
    if (a.rgb != b.rgb && !a.gray) result += 1'000;
    if (a.gray && !b.gray) result += b.rgb ? 300 : 200;
    return result;
}

AVPixelFormat closest(AVPixelFormat from, const Formats& formats) {
    AVPixelFormat best = AV_PIX_FMT_NONE;
    int least = std::numeric_limits<int>::max();
    for (AVPixelFormat f : formats)
        if (const int d = distance(from, f); d < least) {
            least = d;
            best = f;
        }
    return best;
}

void remove_subsampled(Formats& formats) {
    std::erase_if(formats, [](AVPixelFormat f) {
        const PixelTraits pixel = pixel_traits(f);
        return pixel.log2_chroma_w != 0 || pixel.log2_chroma_h != 0;
    });
}

// Each frame's palette is its own. Only GIF, among the encoders that take nothing else, has room
// for it: the first frame's would stand for all.
void require_own_palette(const AVCodec& encoder, AVPixelFormat format) {
    if (format == AV_PIX_FMT_PAL8 && encoder.id != AV_CODEC_ID_GIF)
        usage(
            fmt::format("-c:v {0}: {0} has one palette of 256 colours for all frames, which is too "
                        "small for most videos; png and qtrle keep every colour",
                        encoder.name));
}

void require_size(const EncoderTraits& traits, const FrameShape& shape) {
    const int side = traits.only_side;
    if (side != 0 && (shape.width != side || shape.height != side))
        usage(fmt::format("-c:v {0}: {0} takes only frames of {1}x{1}, but these are {2}x{3}",
                          traits.name, side, shape.width, shape.height));
}

VideoChoice choose_format(const AVCodec& encoder, const FrameShape& shape, bool lossless) {
    const EncoderTraits& traits = encoder_traits(encoder.name);
    require_size(traits, shape);
    Formats formats = encoder_formats(encoder, lossless);
    VideoChoice choice{.encoder = &encoder, .format = shape.format};
    if (!formats.empty()) choice.format = closest(shape.format, formats);
    if (!size_fits(traits, shape, choice.format)) {
        const AVPixelFormat wanted = choice.format;
        remove_subsampled(formats);
        choice.format = closest(shape.format, formats);
        choice.notes.push_back(fmt::format(
            "{}x{} does not divide by the chroma of {}: stored as {}", shape.width, shape.height,
            av_get_pix_fmt_name(wanted), av_get_pix_fmt_name(choice.format)));
    }
    require_own_palette(encoder, choice.format);
    choice.losses = format_losses(shape.format, choice.format);
    if (pixel_traits(shape.format).gray && !pixel_traits(choice.format).gray)
        choice.losses.push_back(fmt::format("{} is stored as {} with neutral colour",
                                            av_get_pix_fmt_name(shape.format),
                                            av_get_pix_fmt_name(choice.format)));
    return choice;
}

AVPixelFormat parse_pixel_format(const std::string& name) {
    const AVPixelFormat format = av_get_pix_fmt(name.c_str());
    if (format != AV_PIX_FMT_NONE) return format;
    std::vector<std::string_view> names;
    for (const AVPixFmtDescriptor* d = nullptr; (d = av_pix_fmt_desc_next(d)) != nullptr;)
        names.emplace_back(d->name);
    usage(fmt::format("-pix_fmt {}: no such pixel format; similar names: {}", name,
                      fmt::join(nearest_names(name, names), ", ")));
}

VideoChoice forced_format(const AVCodec& encoder, const FrameShape& shape,
                          const std::string& name) {
    const AVPixelFormat format = parse_pixel_format(name);
    std::vector<std::string_view> taken;
    for (const AVPixelFormat f : all_formats(encoder)) taken.emplace_back(av_get_pix_fmt_name(f));
    if (!taken.empty() && std::find(taken.begin(), taken.end(), name) == taken.end())
        usage(fmt::format("-pix_fmt {0}: {1} does not take {0}; {1} takes {2}", name, encoder.name,
                          fmt::join(taken, ", ")));
    if (!size_fits(encoder_traits(encoder.name), shape, format))
        usage(
            fmt::format("-pix_fmt {0}: {1}x{2} does not divide by the chroma of {0}; leave out "
                        "-pix_fmt to get 4:4:4",
                        name, shape.width, shape.height));
    return {.encoder = &encoder, .format = format, .losses = format_losses(shape.format, format)};
}

const AVCodec& find_encoder(const std::string& name) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str());
    if (encoder == nullptr)
        if (const AVCodecDescriptor* desc = avcodec_descriptor_get_by_name(name.c_str()))
            encoder = avcodec_find_encoder(desc->id);
    if (encoder != nullptr && encoder->type == AVMEDIA_TYPE_VIDEO) return *encoder;
    if (name == "copy")
        usage("-c:v copy: the picture is filtered, so it must be encoded; name an encoder");
    std::vector<std::string_view> names;
    void* state = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&state))
        if (av_codec_is_encoder(codec) != 0 && codec->type == AVMEDIA_TYPE_VIDEO)
            names.emplace_back(codec->name);
    usage(fmt::format("-c:v {}: no such video encoder; similar names: {}", name,
                      fmt::join(nearest_names(name, names), ", ")));
}

std::vector<std::string_view> containers_for(AVCodecID codec) {
    std::vector<std::string_view> result;
    for (const Container& row : containers())
        if (container_takes(row, codec)) result.push_back(row.name);
    return result;
}

const AVCodec& find_fitting_encoder(const Container& container, const std::string& name) {
    const AVCodec& encoder = find_encoder(name);
    if (!container_takes(container, encoder.id))
        usage(fmt::format("-c:v {0}: {1} cannot hold video of {0}; {2} can", name, container.name,
                          fmt::join(containers_for(encoder.id), ", ")));
    return encoder;
}

// Those of `names` that take all options of the request, or all names if none does.
std::vector<std::string_view> candidates(std::span<const std::string_view> names,
                                         const VideoRequest& request) {
    const auto takes_all = [&](std::string_view name) {
        const AVCodec* encoder = avcodec_find_encoder_by_name(std::string(name).c_str());
        return encoder != nullptr && (!request.preset || takes_option(*encoder, "preset")) &&
               std::ranges::all_of(request.options, [&](const auto& option) {
                   return takes_option(*encoder, option.first);
               });
    };
    std::vector<std::string_view> all(names.begin(), names.end());
    std::vector<std::string_view> fitting;
    std::ranges::copy_if(all, std::back_inserter(fitting), takes_all);
    return fitting.empty() ? all : fitting;
}

// The encoder of `names` with the least loss, the first of equals; nullopt if this libav has none.
std::optional<VideoChoice> best_fitting(std::span<const std::string_view> names,
                                        const FrameShape& shape) {
    std::optional<VideoChoice> best;
    for (std::string_view name : names) {
        const AVCodec* encoder = avcodec_find_encoder_by_name(std::string(name).c_str());
        if (encoder == nullptr) continue;
        VideoChoice choice = choose_format(*encoder, shape, false);
        if (!best || choice.losses.size() < best->losses.size()) best = std::move(choice);
    }
    return best;
}

bool exact(const VideoChoice& choice, const FrameShape& shape) {
    return is_exact(shape.format, choice.format);
}

// The first encoder of `names` that keeps every sample recoverable.
std::optional<VideoChoice> first_exact(std::span<const std::string_view> names,
                                       const FrameShape& shape) {
    for (std::string_view name : names) {
        const AVCodec* encoder = avcodec_find_encoder_by_name(std::string(name).c_str());
        if (encoder == nullptr) continue;
        VideoChoice choice = choose_format(*encoder, shape, true);
        if (exact(choice, shape)) return choice;
    }
    return std::nullopt;
}

std::string lossless_refusal(const Container& container, const FrameShape& shape) {
    const bool still = container.kind == OutputKind::still;
    for (const Container& other : containers()) {
        if ((other.kind == OutputKind::still) != still) continue;
        const auto choice = first_exact(other.lossless_codecs, shape);
        if (choice)
            return fmt::format("--lossless: {} cannot hold {} without loss; {} can ({})",
                               container.name, av_get_pix_fmt_name(shape.format), other.name,
                               choice->encoder->name);
    }
    if (still)
        return fmt::format(
            "--lossless: {} cannot hold {} without loss, nor can any other picture that weft "
            "writes; without --lossless, png loses no more than the rounding to RGB",
            container.name, av_get_pix_fmt_name(shape.format));
    return fmt::format("--lossless: no container that weft writes can hold {} without loss",
                       av_get_pix_fmt_name(shape.format));
}

void require_lossless_encoder(const AVCodec& encoder, const Container& container) {
    const EncoderTraits& traits = encoder_traits(encoder.name);
    if (!traits.always_lossless && traits.lossless.empty())
        usage(fmt::format("--lossless: {} has no lossless mode known to us; in {} use {}",
                          encoder.name, container.name,
                          fmt::join(container.lossless_codecs, ", ")));
}

VideoChoice choose_by_name(const Container& container, const FrameShape& shape,
                           const VideoRequest& request) {
    const AVCodec& encoder = find_fitting_encoder(container, request.codec);
    if (request.lossless) require_lossless_encoder(encoder, container);
    return choose_format(encoder, shape, request.lossless);
}

VideoChoice choose_default(const Container& container, const FrameShape& shape,
                           const VideoRequest& request) {
    const bool lossless = request.lossless;
    const std::vector<std::string_view> names =
        candidates(lossless ? container.lossless_codecs : container.video_codecs, request);
    if (auto choice = lossless ? first_exact(names, shape) : best_fitting(names, shape))
        return *std::move(choice);
    if (lossless) usage(lossless_refusal(container, shape));
    throw Error(Outcome::failed,
                fmt::format("this FFmpeg has none of the encoders {} that {} needs",
                            fmt::join(names, ", "), container.name));
}

// "4:2:0" and its like.
std::string subsampling(AVPixelFormat format) {
    const PixelTraits pixel = pixel_traits(format);
    const int across = 4 >> pixel.log2_chroma_w;
    return fmt::format("4:{}:{}", across, pixel.log2_chroma_h == 0 ? across : 0);
}

std::string chroma_text(AVPixelFormat source, AVPixelFormat stored) {
    const PixelTraits pixel = pixel_traits(source);
    const bool kept = !pixel.rgb && !pixel.gray && subsampling(source) == subsampling(stored);
    return fmt::format("chroma {}{}", subsampling(stored), kept ? " (kept from the source)" : "");
}

bool stores_colors(AVCodecID codec) {
    constexpr std::array kWriters{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,       AV_CODEC_ID_AV1,
                                  AV_CODEC_ID_VP9,  AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_PRORES};
    return std::ranges::find(kWriters, codec) != kWriters.end();
}

// Whether pictures of the codec show the curve although they have no tag for it: as sRGB, from
// which the curves of video hardly differ, or by the codec's convention. libav's encoder of JPEG XL
// tags the other ones.
bool shows_curve(AVCodecID codec, AVColorTransferCharacteristic curve) {
    constexpr std::array kLikeSrgb{
        AVCOL_TRC_UNSPECIFIED,  AVCOL_TRC_BT709,       AVCOL_TRC_SMPTE170M, AVCOL_TRC_SMPTE240M,
        AVCOL_TRC_BT1361_ECG,   AVCOL_TRC_BT2020_10,   AVCOL_TRC_BT2020_12, AVCOL_TRC_GAMMA22,
        AVCOL_TRC_IEC61966_2_1, AVCOL_TRC_IEC61966_2_4};
    constexpr std::array kJpegXl{AVCOL_TRC_LINEAR, AVCOL_TRC_GAMMA28, AVCOL_TRC_SMPTE2084,
                                 AVCOL_TRC_SMPTE428, AVCOL_TRC_ARIB_STD_B67};
    if (std::ranges::find(kLikeSrgb, curve) != kLikeSrgb.end()) return true;
    if (codec == AV_CODEC_ID_JPEGXL) return std::ranges::find(kJpegXl, curve) != kJpegXl.end();
    return curve == AVCOL_TRC_LINEAR && (codec == AV_CODEC_ID_EXR || codec == AV_CODEC_ID_PFM);
}

bool shows_primaries(AVCodecID codec, AVColorPrimaries primaries) {
    return primaries == AVCOL_PRI_UNSPECIFIED || primaries == AVCOL_PRI_BT709 ||
           codec == AV_CODEC_ID_JPEGXL;
}

}  // namespace

bool container_takes(const Container& container, AVCodecID codec) {
    if (container.muxer.empty() || container.muxer == "yuv4mpegpipe" || container.muxer == "gif" ||
        container.muxer == "apng") {
        for (std::string_view name : container.video_codecs) {
            const AVCodec* encoder = avcodec_find_encoder_by_name(std::string(name).c_str());
            if (encoder != nullptr && encoder->id == codec) return true;
        }
        return false;
    }
    if (std::ranges::find(container.refused_codecs, avcodec_get_name(codec)) !=
        container.refused_codecs.end())
        return false;
    const AVOutputFormat* muxer =
        av_guess_format(std::string(container.muxer).c_str(), nullptr, nullptr);
    return muxer != nullptr && avformat_query_codec(muxer, codec, FF_COMPLIANCE_NORMAL) == 1;
}

std::string quality_text(const VideoChoice& choice, AVPixelFormat source,
                         const WriterOptions& options, const std::optional<JpegTables>& kept) {
    const auto scale = encoder_traits(choice.encoder->name).scale;
    if (!scale || !options.bit_rate.empty() || !options.encoder_options.empty()) return "";
    const double crf = options.crf.value_or(kDefaultCrf);
    std::string text =
        fmt::format("-q:v {:.4g}", options.quality.value_or(quality_of_crf(*scale, crf)));
    if (kept)
        text = fmt::format("quality about {} (kept from the source)", libjpeg_quality(*kept));
    else if (options.crf)
        text += fmt::format(" (for -crf {:.4g})", crf);
    else
        text += options.quality ? " (as asked)" : " (the default)";
    if (choice.encoder->id != AV_CODEC_ID_MJPEG) return text;
    return fmt::format("{}, {}", text, chroma_text(source, choice.format));
}

std::vector<std::string> lost_colors(const Container& container, AVCodecID codec,
                                     const AVFrame& frame) {
    const bool picture = container.color_tags == ColorTags::as_srgb;
    std::vector<std::string> lost;
    if (container.color_tags == ColorTags::kept || (!picture && stores_colors(codec))) return lost;
    const auto add = [&](const char* property, bool stated, const char* name) {
        if (stated && name != nullptr) lost.push_back(fmt::format("{} {}", property, name));
    };
    add("matrix",
        !picture && frame.colorspace != AVCOL_SPC_UNSPECIFIED && frame.colorspace != AVCOL_SPC_RGB,
        av_color_space_name(frame.colorspace));
    add("primaries",
        picture ? !shows_primaries(codec, frame.color_primaries)
                : frame.color_primaries != AVCOL_PRI_UNSPECIFIED,
        av_color_primaries_name(frame.color_primaries));
    add("transfer curve",
        picture ? !shows_curve(codec, frame.color_trc) : frame.color_trc != AVCOL_TRC_UNSPECIFIED,
        av_color_transfer_name(frame.color_trc));
    return lost;
}

VideoChoice choose_video(const Container& container, const FrameShape& shape,
                         const VideoRequest& request) {
    VideoChoice choice = request.codec.empty() ? choose_default(container, shape, request)
                                               : choose_by_name(container, shape, request);
    if (!request.pixel_format.empty())
        return forced_format(*choice.encoder, shape, request.pixel_format);
    if (request.lossless && !exact(choice, shape)) usage(lossless_refusal(container, shape));
    return choice;
}

}  // namespace weft
