#include "app/media/write/encoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "app/media/libav/log_watch.h"
#include "app/media/metadata/side_data.h"
#include "app/media/picture/exact_webp.h"
#include "app/media/picture/frame.h"
#include "app/media/picture/gpu_jpegs.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/write/encoder_traits.h"
#include "app/media/write/gpu_encoder.h"
#include "kernels/device/cgroup.h"

extern "C" {
#include <libavutil/cpu.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

[[noreturn]] void usage(const std::string& text) {
    throw Error(Outcome::usage, text);
}

void free_text(std::uint8_t* text) noexcept {
    av_free(text);
}

// Parameters for the encoder's library add up, where libav would replace those that are set.
std::string with_earlier(AVCodecContext& context, const std::string& name, std::string value) {
    const AVOption* option =
        av_opt_find(&context, name.c_str(), nullptr, 0, AV_OPT_SEARCH_CHILDREN);
    if (option == nullptr || option->type != AV_OPT_TYPE_DICT) return value;
    std::uint8_t* text = nullptr;
    av_check(av_opt_get(&context, name.c_str(), AV_OPT_SEARCH_CHILDREN, &text),
             "reading the encoder's option", name);
    const std::unique_ptr<std::uint8_t, CDelete<free_text>> earlier(text);
    return *earlier == 0 ? value : fmt::format("{}:{}", reinterpret_cast<const char*>(text), value);
}

void set_option(AVCodecContext& context, std::string_view option, std::string_view value,
                const std::string& flag) {
    const std::string name(option);
    const std::string text = with_earlier(context, name, std::string(value));
    const ShortageWatch watch;
    const int result = av_opt_set(&context, name.c_str(), text.c_str(), AV_OPT_SEARCH_CHILDREN);
    watch.check_failed(result, "setting the option", flag);
    if (result == AVERROR_OPTION_NOT_FOUND)
        usage(fmt::format("{}: {} has no such option", flag, context.codec->name));
    if (result < 0)
        usage(fmt::format("{}: {} refuses the value: {}", flag, context.codec->name,
                          av_error_text(result)));
}

void set_all(AVCodecContext& context, std::span<const EncoderOption> options) {
    for (const EncoderOption& option : options)
        set_option(context, option.name, option.value, std::string(option.name));
}

void check_preset(const EncoderTraits& traits, const std::string& preset) {
    const std::string list = fmt::format(", {},", traits.presets);
    if (traits.presets.empty() || list.find(fmt::format(" {},", preset)) != std::string::npos)
        return;
    usage(fmt::format("-preset {}: {} has {}", preset, traits.name, traits.presets));
}

void check_crf(AVCodecContext& context, const EncoderTraits& traits, double crf) {
    const AVOption* option =
        av_opt_find(&context, std::string(traits.crf).c_str(), nullptr, 0, AV_OPT_SEARCH_CHILDREN);
    if (option == nullptr) return;  // set_option() reports this
    const double least = std::max(traits.least_crf, option->min);
    const double most = traits.most_crf.value_or(option->max);
    if (crf < least || crf > most)
        usage(fmt::format("-crf {}: {} takes {} to {}", crf, context.codec->name, least, most));
}

[[noreturn]] void refuse_scale(AVCodecContext& context, const EncoderTraits& traits,
                               double quality) {
    const std::string crf(traits.crf);
    const bool has_crf =
        av_opt_find(&context, crf.c_str(), nullptr, 0, AV_OPT_SEARCH_CHILDREN) != nullptr;
    usage(fmt::format("-q:v {}: {} has no such scale: {}", quality, context.codec->name,
                      traits.always_lossless ? "it is lossless"
                      : has_crf              ? "use -crf"
                                             : "use -b:v"));
}

void check_scale(AVCodecContext& context, const EncoderTraits& traits, double quality) {
    if (!traits.scale) refuse_scale(context, traits, quality);
    const auto [best, worst] = *traits.scale;
    if (quality < std::min(best, worst) || quality > std::max(best, worst))
        usage(fmt::format("-q:v {}: {} takes {} (best) to {}", quality, context.codec->name, best,
                          worst));
}

void check_scaled_crf(const AVCodecContext& context, double crf) {
    constexpr double kMost = 51;  // x264's
    if (crf > kMost)
        usage(fmt::format("-crf {}: {} takes 0 to {}", crf, context.codec->name, kMost));
}

void set_scale(AVCodecContext& context, double quality) {
    context.flags |= AV_CODEC_FLAG_QSCALE;
    context.global_quality = static_cast<int>(FF_QP2LAMBDA * quality);
    context.qmin = 1;  // libav's default takes 1 for 2
}

std::uint16_t* new_matrix(const JpegTables::Table& table) {
    void* copy = av_memdup(table.data(), table.size() * sizeof(table.front()));
    if (copy == nullptr) throw_no_memory();
    return static_cast<std::uint16_t*>(copy);
}

// libav's encoder multiplies its tables by an eighth of the quality. Only the step of a block's
// mean is always 8, which changes a sample by at most half a level.
void set_jpeg_tables(AVCodecContext& context, const JpegTables& tables) {
    context.intra_matrix = new_matrix(tables.luma);
    context.chroma_intra_matrix = new_matrix(tables.chroma);
    set_scale(context, 8);
}

void set_default_quality(AVCodecContext& context, const EncoderSettings& settings) {
    if (settings.jpeg_tables) return set_jpeg_tables(context, *settings.jpeg_tables);
    set_all(context, encoder_traits(context.codec->name).quality);
}

// Throws for options of which one would be ignored.
void check_quality(const EncoderSettings& settings, const EncoderTraits& traits) {
    const bool rate = !settings.bit_rate.empty();
    if (settings.lossless && (settings.quality || settings.crf || rate))
        usage("--lossless cannot be combined with -q:v, -crf or -b:v; give one or the other");
    if (settings.lossless && settings.options.contains("qp"))
        usage("--lossless cannot be combined with -qp; give one or the other");
    const bool scaled = settings.quality || (settings.crf && traits.scale);
    if ((settings.quality && settings.crf) || (scaled && rate))
        usage(fmt::format("-q:v, -crf and -b:v each choose the quality of {}; give one of them",
                          settings.choice.encoder->name));
}

void set_quality(AVCodecContext& context, const EncoderSettings& settings) {
    const EncoderTraits& traits = encoder_traits(context.codec->name);
    check_quality(settings, traits);
    if (settings.lossless) return set_all(context, traits.lossless);
    if (settings.quality) {
        check_scale(context, traits, *settings.quality);
        return set_scale(context, *settings.quality);
    }
    if (settings.crf && traits.scale) {
        check_scaled_crf(context, *settings.crf);
        return set_scale(context, quality_of_crf(*traits.scale, *settings.crf));
    }
    if (!settings.crf && settings.bit_rate.empty() && !settings.options.contains("qp"))
        return set_default_quality(context, settings);
    if (settings.crf) {
        const std::string flag = fmt::format("-crf {}", *settings.crf);
        check_crf(context, traits, *settings.crf);
        set_option(context, traits.crf, fmt::format("{}", *settings.crf), flag);
        // VP9 takes -crf for a limit under a bit rate unless that is zero.
        if (settings.bit_rate.empty()) context.bit_rate = 0;
    }
    if (!settings.bit_rate.empty())
        set_option(context, "b", settings.bit_rate, "-b:v " + settings.bit_rate);
}

// Whether FFV1 (libav 5.1) keeps every sample of a side of `length` samples that is cut into
// `count` parts. If each part is one sample, the slices' headers are wrong and the frame decodes
// as zeros. A part's chroma starts at that of its first sample, rounded down, and has the part's
// length, rounded up: in 4:1:1 at widths 5 and 6 beyond a multiple of 8, a column between two parts
// is in neither.
bool keeps_slices(int length, int count, int log2_chroma) {
    const auto begin = [&](int part) {
        return static_cast<int>(std::int64_t{length} * part / count);
    };
    const int round_up = (1 << log2_chroma) - 1;
    if (count >= length || count > (length + round_up) >> log2_chroma) return false;
    for (int part = 0; part < count; ++part) {
        const int first = begin(part);
        const int end = begin(part + 1);
        const int chroma_end = (first >> log2_chroma) + ((end - first + round_up) >> log2_chroma);
        const int wanted = part + 1 < count ? end : end + round_up;
        if (chroma_end < wanted >> log2_chroma) return false;
    }
    return true;
}

// The number of slices to request from FFV1: the first of its own choices that keeps every sample;
// 0 if none does.
int ffv1_slices(AVPixelFormat format, int width, int height) {
    // FFV1 is given the count alone and cuts it by its first fitting choice. From 10 rows on a
    // count has several: 120 is 8 rows of 15 slices and 10 of 12.
    constexpr int kMostRows = 9;
    constexpr std::int64_t kMostBits = std::int64_t{8} << 24;  // per slice, by FFV1's count
    const AVPixFmtDescriptor& pixel = *av_pix_fmt_desc_get(format);
    const auto fits = [&](int columns, int rows) {
        const std::int64_t samples = std::int64_t{(width + columns - 1) / columns} *
                                     ((height + rows - 1) / rows) * pixel.nb_components;
        return samples * (pixel.comp[0].depth + 1) <= kMostBits &&
               keeps_slices(width, columns, pixel.log2_chroma_w) &&
               keeps_slices(height, rows, pixel.log2_chroma_h);
    };
    for (int rows = 2; rows <= kMostRows; ++rows)
        for (int columns = rows; columns < 2 * rows; ++columns)
            if (fits(columns, rows)) return rows * columns;
    // Larger frames get at least four.
    const bool one = width <= 352 && height <= 288 && fits(1, 1);
    return one ? 1 : 0;
}

// Version 1 has no slices, and no checksums.
void set_slices(AVCodecContext& context) {
    context.slices = ffv1_slices(context.sw_pix_fmt, context.width, context.height);
    if (context.slices > 0) return;
    context.level = 1;
    set_option(context, "slicecrc", "0", "--lossless");
}

// x265 chooses its frame threads, which its output depends on, by the cores of the machine. These
// are its own steps.
int frame_threads(int threads) {
    constexpr std::array kSteps{4, 8, 16, 32};
    return 1 + static_cast<int>(std::ranges::count_if(kSteps, [&](int s) { return threads >= s; }));
}

void set_users_options(AVCodecContext& context, const EncoderSettings& settings) {
    for (const auto& [name, value] : settings.options) {
        if (!takes_option(*context.codec, name))
            usage(fmt::format("-{}: {} has no such option", name, context.codec->name));
        if (name == "bf" && !settings.reorder)
            usage(settings.path +
                  ": -bf: the container has no place for B-frames; write mkv or mp4");
        set_option(context, name, value, fmt::format("-{} {}", name, value));
    }
}

void set_options(AVCodecContext& context, const EncoderSettings& settings) {
    const EncoderTraits& traits = encoder_traits(context.codec->name);
    set_all(context, traits.defaults);
    if (context.codec_id == AV_CODEC_ID_FFV1) set_slices(context);
    if (!settings.preset.empty()) {
        check_preset(traits, settings.preset);
        set_option(context, "preset", settings.preset, "-preset " + settings.preset);
    }
    set_quality(context, settings);
    // FFmpeg 5.0 has no parameters for SVT-AV1.
    if (const int threads = codec_threads(settings.threads);
        threads > 0 && takes_option(*context.codec, traits.thread_params))
        set_option(context, traits.thread_params,
                   fmt::format(fmt::runtime(traits.thread_text), threads, frame_threads(threads)),
                   "-threads");
    const bool avx512 = (static_cast<unsigned>(av_get_cpu_flags()) & AV_CPU_FLAG_AVX512) != 0;
    if (settings.repeatable && avx512) set_all(context, traits.repeatable_avx512);
    set_users_options(context, settings);
}

void set_colour(AVCodecContext& context, const AVFrame& sample) {
    context.color_range = sample.color_range;
    context.color_primaries = sample.color_primaries;
    context.color_trc = sample.color_trc;
    context.colorspace = sample.colorspace;
    context.chroma_sample_location = sample.chroma_location;
    if (pixel_traits(context.sw_pix_fmt).rgb) context.colorspace = AVCOL_SPC_RGB;
}

// Interlaced H.264 needs heights that divide by four in 4:2:0.
bool can_code_fields(const AVCodecContext& context) {
    const PixelTraits traits = pixel_traits(context.sw_pix_fmt);
    return context.height % (2 << traits.log2_chroma_h) == 0;
}

void set_fields(AVCodecContext& context, AVFieldOrder order) {
    context.field_order = order;
    const bool interlaced = order != AV_FIELD_PROGRESSIVE && order != AV_FIELD_UNKNOWN;
    if (interlaced && encoder_traits(context.codec->name).codes_fields && can_code_fields(context))
        context.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
}

// Each of libav's frame threads holds a frame, whatever its size: use as many as fit into 256
// MiB. libav refuses more than 64.
int thread_count(const AVCodec& codec, const AVFrame& sample, int wanted) {
    constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
    constexpr std::int64_t kMostThreads = 64;
    wanted = codec_threads(wanted);
    if ((codec.capabilities & AV_CODEC_CAP_FRAME_THREADS) == 0) return wanted;
    const int bytes = av_image_get_buffer_size(static_cast<AVPixelFormat>(sample.format),
                                               sample.width, sample.height, 1);
    // A frame too large to count is too large for two threads.
    const std::int64_t fitting = bytes <= 0 ? 1 : kMostBytes / bytes;
    const auto most = static_cast<int>(std::clamp(fitting, std::int64_t{1}, kMostThreads));
    return std::min(wanted > 0 ? wanted : av_cpu_count(), most);
}

void set_frames(AVCodecContext& context, const EncoderSettings& settings, const AVFrame& sample) {
    context.width = sample.width;
    context.height = sample.height;
    context.pix_fmt = context.sw_pix_fmt = static_cast<AVPixelFormat>(sample.format);
    if (settings.surfaces == nullptr) {
        if (takes_gpu_frames(*context.codec) && settings.gpu.is_gpu())
            set_option(context, "gpu", std::to_string(settings.gpu.ordinal), "--gpu");
        return;
    }
    context.pix_fmt = AV_PIX_FMT_CUDA;
    context.hw_frames_ctx = av_buffer_ref(settings.surfaces);
    if (context.hw_frames_ctx == nullptr) throw_no_memory();
}

void refuse_without_gpu_encoder(const AVCodec& codec, const Device& gpu) {
    const auto none = why_no_gpu_encoder(codec, gpu);
    if (!none) return;
    const std::string_view software = encoder_traits(codec.name).software;
    throw Error(Outcome::no_gpu,
                fmt::format("{}: {}{}{}", codec.name, none->why,
                            software.empty() ? "" : "; use -c:v ", software),
                none->in_use ? Cause::encoder_in_use : Cause::file);
}

[[noreturn]] void refused(const EncoderSettings& settings, const AVCodecContext& context,
                          int av_code, const std::string& logged) {
    const AVCodec& codec = *settings.choice.encoder;  // the context has none any more
    const bool on_gpu = takes_gpu_frames(codec);
    if (on_gpu) refuse_without_gpu_encoder(codec, settings.gpu);
    // One can be opened now: another file may just have ended its session.
    const bool freed = on_gpu && (av_code == AVERROR(ENOMEM) || av_code == AVERROR_EXTERNAL);
    throw Error(
        Outcome::usage,
        fmt::format("{}: {} cannot start with {}x{} {} and these options: {}", settings.path,
                    codec.name, context.width, context.height,
                    av_get_pix_fmt_name(context.sw_pix_fmt),
                    logged.empty() ? av_error_text(av_code) : refusal_reason(codec, logged)),
        freed ? Cause::encoder_in_use : Cause::file);
}

// A unit per frame. MPEG-4 takes no more than 65535 of them per second, and the averages of
// variable rates are long fractions.
AVRational frame_unit(AVRational rate) {
    constexpr std::int64_t kMost = 65'535;
    AVRational unit{};
    av_reduce(&unit.num, &unit.den, rate.den, rate.num, kMost);
    return unit;
}

// An encoder that looks ahead holds tens of frames: a file of 268 KB made x264 take 23 GB, after
// which the system ends the process and the files of the batch with it.
void check_memory(const EncoderSettings& settings, const AVFrame& sample) {
    const std::int64_t most =
        frames_held(encoder_traits(settings.choice.encoder->name), settings.preset);
    const std::int64_t held = settings.frames > 0 ? std::min(settings.frames, most) : most;
    const int bits = pixel_traits(sample_format(sample)).bits;
    const std::int64_t bytes = held * sample.width * sample.height * bits / 8;
    if (bytes <= 1 << 24) return;  // asking the system takes as long as a small picture
    const auto available = static_cast<std::int64_t>(available_memory_bytes());
    if (available == 0 || bytes <= available) return;
    constexpr double kGiB = 1 << 30;
    throw Error(
        Outcome::failed,
        fmt::format("{}: {} would keep up to {} frames of {}x{} in {:.1f} GiB of memory, "
                    "and {:.1f} GiB are available: use a faster -preset, -c:v ffv1, or "
                    "numbered pictures",
                    settings.path, settings.choice.encoder->name, held, sample.width, sample.height,
                    static_cast<double>(bytes) / kGiB, static_cast<double>(available) / kGiB));
}

// Some encoders cannot be closed before their first frame. Without memory for a frame, none is
// sent.
void prepare_close(AVCodecContext& context) noexcept {
    if (!encoder_traits(context.codec->name).needs_a_frame) return;
    const AVFramePtr frame(av_frame_alloc());
    if (!frame) return;
    frame->format = context.pix_fmt;
    frame->width = context.width;
    frame->height = context.height;
    frame->pts = 0;
    if (av_frame_get_buffer(frame.get(), 0) >= 0)
        (void)avcodec_send_frame(&context, frame.get());  // its packet is not needed
}

EncoderPtr open(const EncoderSettings& settings, const AVFrame& sample, bool counts_frames) {
    const AVCodec& codec = *settings.choice.encoder;
    EncoderPtr context(avcodec_alloc_context3(&codec));
    if (!context) throw_no_memory();
    set_frames(*context, settings, sample);
    context->time_base = counts_frames ? frame_unit(settings.frame_rate) : settings.time_base;
    context->framerate = settings.frame_rate;
    context->sample_aspect_ratio = settings.sample_aspect;
    context->thread_count = thread_count(codec, sample, settings.threads);
    if (settings.global_header) context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (!settings.reorder) context->max_b_frames = 0;
    set_colour(*context, sample);
    set_fields(*context, settings.field_order);
    set_options(*context, settings);
    const ShortageWatch watch;
    const LoggedErrors logged;
    const int result = avcodec_open2(context.get(), &codec, nullptr);
    if (!takes_gpu_frames(codec))
        watch.check_started(result, "starting the encoder", settings.path);
    if (result < 0) refused(settings, *context, result, logged.first());
    if (settings.options.empty() || logged.of_option().empty()) return context;
    prepare_close(*context);
    usage(fmt::format("{}: {} does not take these options: {}", settings.path, codec.name,
                      logged.of_option()));
}

// A gray frame of the smallest size that has whole chroma samples.
AVFramePtr small_frame(const AVFrame& sample) {
    constexpr int kSide = 16;
    constexpr int kGray = 128;
    AVFramePtr small = make_frame();
    av_check(av_frame_copy_props(small.get(), &sample), "copying a frame's tags", "memory");
    small->format = sample.format;
    small->width = small->height = kSide;
    av_check(av_frame_get_buffer(small.get(), 0), "allocating a frame", "memory");
    for (int plane = 0; small->data[plane] != nullptr; ++plane)
        std::memset(small->data[plane], kGray,
                    static_cast<std::size_t>(small->linesize[plane]) * kSide);
    return small;
}

bool encodes_jpegs_on_gpu(const EncoderSettings& settings) {
    return settings.gpu_jpegs && settings.gpu.is_gpu() && !settings.repeatable &&
           settings.options.empty() && settings.choice.encoder->id == AV_CODEC_ID_MJPEG;
}

// A small picture with the headers and quantisation of those to come. Starting 16 threads for it
// would take 2.4 ms instead of 0.05 (2 cores).
AVPacketPtr model_picture(EncoderSettings settings, const AVFrame& sample) {
    settings.threads = 1;
    const AVFramePtr small = small_frame(sample);
    const EncoderPtr context = open(settings, *small, true);
    small->pts = 0;
    small->quality = context->global_quality;
    AVPacketPtr packet = make_packet();
    av_check(avcodec_send_frame(context.get(), small.get()), "encoding a frame", settings.path);
    av_check(avcodec_send_frame(context.get(), nullptr), "encoding a frame", settings.path);
    av_check(avcodec_receive_packet(context.get(), packet.get()), "encoding a frame",
             settings.path);
    return packet;
}

bool is_lossless_webp(const EncoderSettings& settings, const AVCodecContext& context) {
    return settings.lossless && std::string_view(context.codec->name) == "libwebp" &&
           context.pix_fmt == AV_PIX_FMT_BGRA;
}

// Whether a fully transparent pixel of a BGRA frame has a color other than black.
bool has_hidden_colors(const AVFrame& frame) {
    for (int y = 0; y < frame.height; ++y) {
        const std::uint8_t* row = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0];
        for (int x = 0; x < frame.width; ++x, row += 4)
            if (row[3] == 0 && (row[0] | row[1] | row[2]) != 0) return true;
    }
    return false;
}

}  // namespace

void free_encoder(AVCodecContext** context) noexcept {
    std::uint16_t* const chroma = std::exchange((*context)->chroma_intra_matrix, nullptr);
    avcodec_free_context(context);
    av_free(chroma);
}

VideoEncoder::VideoEncoder(const EncoderSettings& settings, const AVFrame& sample)
    : path_(settings.path),
      time_base_(settings.time_base),
      counts_frames_(!encoder_traits(settings.choice.encoder->name).takes_times) {
    check_memory(settings, sample);
    context_ = open(settings, sample, counts_frames_);
    lossless_webp_ = is_lossless_webp(settings, *context_);
    if (context_->codec_id == AV_CODEC_ID_PNG || context_->codec_id == AV_CODEC_ID_APNG)
        png_chunks_ = png_chunks_of(sample);
    if (!encodes_jpegs_on_gpu(settings)) return;
    gpu_jpegs_ = settings.gpu_jpegs;
    gpu_ = settings.gpu;
    gpu_model_ = model_picture(settings, sample);
}

VideoEncoder::~VideoEncoder() {
    if (index_ == 0) prepare_close(*context_);
}

void VideoEncoder::encode(AVFramePtr frame, FrameTime time, const PacketSink& sink) {
    const std::int64_t pts = counts_frames_ ? index_ : time.pts;
    ++index_;
    if (counts_frames_) times_.push_back(time);
    durations_[pts] = time.duration;
    frame->pts = pts;
    frame_duration(*frame) = counts_frames_ ? 1 : time.duration;
    // The encoder chooses I, P and B frames itself.
    frame->pict_type = AV_PICTURE_TYPE_NONE;
    frame->key_frame = 0;
    frame->quality = context_->global_quality;
    remove_encoder_names(*frame);
    if (!encoder_traits(context_->codec->name).takes_icc)
        av_frame_remove_side_data(frame.get(), AV_FRAME_DATA_ICC_PROFILE);
    if (gpu_jpegs_ && encode_on_gpu(*frame, sink)) return;
    if (lossless_webp_ && has_hidden_colors(*frame))
        return pass_on(encode_exact_webp(*context_, *frame, path_), frame->pts, sink);
    send(frame.get(), "encoding a frame");
    drain(sink);
}

// False if the GPU cannot: libav's encoder then takes this frame and all others.
bool VideoEncoder::encode_on_gpu(const AVFrame& frame, const PacketSink& sink) {
    AVPacketPtr packet;
    try {
        const std::span model(gpu_model_->data, static_cast<std::size_t>(gpu_model_->size));
        packet = gpu_jpegs_->encode(gpu_, frame, model);
    } catch (const NvjpegUnavailable&) {
        gpu_jpegs_.reset();
        return false;
    } catch (const std::exception& error) {
        gpu_failure_ = error.what();
        gpu_jpegs_.reset();
        return false;
    }
    pass_on(std::move(packet), frame.pts, sink);
    return true;
}

// A picture that libav's encoder has not made.
void VideoEncoder::pass_on(AVPacketPtr packet, std::int64_t pts, const PacketSink& sink) {
    packet->pts = packet->dts = pts;
    packet->flags |= AV_PKT_FLAG_KEY;
    restore_times(*packet);
    sink(std::move(packet));
}

void VideoEncoder::flush(const PacketSink& sink) {
    send(nullptr, "ending the encoder");
    drain(sink);
}

void VideoEncoder::send(const AVFrame* frame, const char* doing) {
    const ShortageWatch watch;
    check(avcodec_send_frame(context_.get(), frame), watch, doing);
}

// Encoders of other libraries report failures without a reason.
void VideoEncoder::check(int result, const ShortageWatch& watch, const char* doing) const {
    if (!takes_gpu_frames(*context_->codec)) watch.check_failed(result, doing, path_);
    av_check(result, doing, path_);
}

void VideoEncoder::drain(const PacketSink& sink) {
    while (true) {
        AVPacketPtr packet = make_packet();
        const ShortageWatch watch;
        const int result = avcodec_receive_packet(context_.get(), packet.get());
        if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
        check(result, watch, "encoding a frame");
        if (png_chunks_) complete_png(*packet, *png_chunks_);
        restore_times(*packet);
        sink(std::move(packet));
    }
}

void VideoEncoder::restore_times(AVPacket& packet) {
    if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
    if (const auto known = durations_.find(packet.pts); known != durations_.end()) {
        packet.duration = known->second;
        durations_.erase(known);
    }
    if (!counts_frames_) return;
    const std::int64_t dts_index = packet.dts;
    packet.pts = time_of_index(packet.pts);
    packet.dts = time_of_index(dts_index);
    while (first_index_ < dts_index) {
        times_.pop_front();
        ++first_index_;
    }
}

std::int64_t VideoEncoder::time_of_index(std::int64_t index) const {
    const std::int64_t at = index - first_index_;
    // Decoding times before the first frame: one unit apart is enough to keep the order.
    if (at < 0) return times_.front().pts + at;
    return times_[static_cast<std::size_t>(at)].pts;
}

}  // namespace weft
