#include "app/media/read/libav_decoder.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/frame_limits.h"
#include "app/media/libav/log_watch.h"
#include "app/media/libav/undecodable.h"
#include "app/media/picture/frame.h"
#include "app/media/picture/frame_memory.h"

namespace weft {

// Compares the size that a picture's header promises with its packet, for codecs with
// has_expansion_limit(): refuses memory for frames that the current packet cannot hold.
class GuardedDecoding : public LogWatch {
 public:
    // Like LogWatch, it is made before the codec is opened; it decodes on no frame threads.
    explicit GuardedDecoding(AVCodecContext& codec) : LogWatch(codec), codec_(codec.codec_id) {
        codec.get_buffer2 = get_buffer;
        codec.thread_type = FF_THREAD_SLICE;
    }

    // Call before each packet.
    void begin(std::int64_t packet_bytes) { packet_bytes_ = packet_bytes; }
    // Call after each call of the decoder: throws MediaError(damaged) if memory was refused.
    void check(const std::string& path) const {
        if (width_ == 0) return;
        throw MediaError(Outcome::damaged,
                         too_large_text(path, codec_, width_, height_, packet_bytes_));
    }

 private:
    static int get_buffer(AVCodecContext* codec, AVFrame* frame, int flags) {
        auto& guard = static_cast<GuardedDecoding&>(*static_cast<LogWatch*>(codec->opaque));
        const int bytes = av_image_get_buffer_size(static_cast<AVPixelFormat>(frame->format),
                                                   frame->width, frame->height, 1);
        if (bytes >= 0 && can_hold(guard.codec_, bytes, guard.packet_bytes_))
            return avcodec_default_get_buffer2(codec, frame, flags);
        guard.width_ = frame->width;
        guard.height_ = frame->height;
        return AVERROR_INVALIDDATA;
    }

    AVCodecID codec_;
    std::int64_t packet_bytes_ = 0;
    // The refused size; slice threads do not allocate.
    int width_ = 0;
    int height_ = 0;
};

namespace {

// Above this (8K), a frame per decoding thread costs more memory than the time saved is worth.
constexpr std::int64_t kFrameThreadPixels = 40LL << 20;

// libav sizes the pool of H.264's surfaces by the reference frames and the reordering that the
// headers promise, and by the level where they promise none. Neither limits the frames that its
// decoder holds back, which the container or the frames themselves can raise to 16. With them, the
// decoder holds the reference frames, the current frame and the one returned. The other codecs'
// pools have the size that their standards fix. NVDEC refuses more than 32 surfaces, each of which
// takes 8 MiB in 1080p. Larger frames get only those that the container demands: for 4K another
// eleven would be 350 MiB.
int extra_surfaces(AVCodecContext& codec) {
    constexpr int kMostHeldBack = 16;
    constexpr int kMostSurfaces = 32;
    constexpr int kLargePixels = 1920 * 1088;
    constexpr int kAddedLater = 3;  // by libav, to the size that it returns
    if (codec.codec_id != AV_CODEC_ID_H264) return 0;
    codec.extra_hw_frames = 0;
    AVBufferRef* made = nullptr;
    if (avcodec_get_hw_frames_parameters(&codec, codec.hw_device_ctx, AV_PIX_FMT_CUDA, &made) < 0)
        return 0;
    const BufferPtr pool(made);
    const int promised =
        reinterpret_cast<const AVHWFramesContext*>(pool->data)->initial_pool_size + kAddedLater;
    const bool large = codec.coded_width * codec.coded_height > kLargePixels;
    const int held_back = large ? codec.has_b_frames : kMostHeldBack;
    return std::max(0, std::min(codec.refs + held_back + 2, kMostSurfaces) - promised);
}

// libav calls again without CUDA if the GPU refuses; the last format is software's.
AVPixelFormat prefer_cuda(AVCodecContext* codec, const AVPixelFormat* formats) {
    const AVPixelFormat* last = formats;
    for (const AVPixelFormat* format = formats; *format != AV_PIX_FMT_NONE; ++format) {
        if (*format == AV_PIX_FMT_CUDA) {
            codec->extra_hw_frames = extra_surfaces(*codec);
            return *format;
        }
        last = format;
    }
    return *last;
}

// Up to libav 59 a decoding thread that needs a buffer waits for the thread that sends packets,
// unless this is set; since then all threads allocate by themselves.
template <class Codec>
void ask_on_decoding_threads(Codec& codec) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    if constexpr (requires { codec.thread_safe_callbacks; }) codec.thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
}

// Gives a software decoder page-locked frames, so that uploading them needs no intermediate copy
// (2.5 ms for 4K). Decoders that need their own memory, and machines without free page-locked
// memory, use libav's.
class PageLockedDecoding : public LogWatch {
 public:
    // As LogWatch. Construct before the codec is opened. `gpu` reads the frames.
    PageLockedDecoding(AVCodecContext& codec, Device gpu) : LogWatch(codec), gpu_(std::move(gpu)) {
        codec.get_buffer2 = get_buffer;
        ask_on_decoding_threads(codec);
    }

 private:
    static int get_buffer(AVCodecContext* codec, AVFrame* frame, int flags);
    void fill(AVCodecContext& codec, AVFrame& frame);

    Device gpu_;
    std::mutex mutex_;  // several decoder threads allocate at once
    FrameMemory memory_{Allocation::pinned};
};

int PageLockedDecoding::get_buffer(AVCodecContext* codec, AVFrame* frame, int flags) {
    const bool ours = (codec->codec->capabilities & AV_CODEC_CAP_DR1) != 0 &&
                      is_native_format(static_cast<AVPixelFormat>(frame->format));
    if (!ours) return avcodec_default_get_buffer2(codec, frame, flags);
    // The driver sets errno when nothing is wrong, and the decoder is watched for errno.
    const int before = errno;
    try {
        auto* const watch = static_cast<LogWatch*>(codec->opaque);
        static_cast<PageLockedDecoding*>(watch)->fill(*codec, *frame);
        errno = before;
        return 0;
    } catch (const std::exception&) {
        errno = before;
        return avcodec_default_get_buffer2(codec, frame, flags);
    }
}

// Decoders write whole blocks, beyond the frame's edge.
void PageLockedDecoding::fill(AVCodecContext& codec, AVFrame& frame) {
    int width = frame.width;
    int height = frame.height;
    int alignment[AV_NUM_DATA_POINTERS] = {};  // at most 64: rows are aligned to 256
    avcodec_align_dimensions2(&codec, &width, &height, alignment);
    const std::scoped_lock lock(mutex_);
    use_device(gpu_);
    const AVFramePtr made = memory_.get(static_cast<AVPixelFormat>(frame.format), width, height);
    std::ranges::copy(made->data, std::begin(frame.data));
    std::ranges::copy(made->linesize, std::begin(frame.linesize));
    frame.buf[0] = std::exchange(made->buf[0], nullptr);
    frame.extended_data = frame.data;
}

bool has_alpha_mode(const AVStream& stream) {
    const AVDictionaryEntry* mode = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    return mode && std::string_view(mode->value) == "1";
}

}  // namespace

const AVCodec* find_software_decoder(const AVStream& stream, std::vector<std::string>& notes) {
    const AVCodecID id = stream.codecpar->codec_id;
    const bool vp8 = id == AV_CODEC_ID_VP8;
    if ((vp8 || id == AV_CODEC_ID_VP9) && has_alpha_mode(stream)) {
        const AVCodec* libvpx = avcodec_find_decoder_by_name(vp8 ? "libvpx" : "libvpx-vp9");
        notes.emplace_back(libvpx ? "decoded with libvpx for its alpha channel"
                                  : "the alpha channel is lost because this FFmpeg lacks libvpx");
        if (libvpx) return libvpx;
    }
    return avcodec_find_decoder(id);
}

LibavDecoder::LibavDecoder(const AVCodec& codec, const Source& source, const Surfaces* gpu)
    : options_(source.options),
      kind_(gpu != nullptr ? DecoderKind::gpu : DecoderKind::software),
      codec_(avcodec_alloc_context3(&codec)) {
    const AVCodecParameters& parameters = *source.stream.codecpar;
    if (!codec_) throw_no_memory(options_.path);
    av_check(avcodec_parameters_to_context(codec_.get(), &parameters), "setting up the decoder",
             options_.path);
    codec_->pkt_timebase = source.stream.time_base;
    codec_->max_pixels = options_.limits.max_pixels;
    codec_->thread_count = gpu != nullptr ? 1 : codec_threads(options_.decoder_threads);
    const std::int64_t pixels = std::int64_t{parameters.width} * parameters.height;
    const bool slices_only = source.is_image || pixels > kFrameThreadPixels;
    codec_->thread_type = slices_only ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
    codec_->err_recognition = AV_EF_CRCCHECK;
    if (gpu != nullptr && gpu->hardware() != nullptr) {
        codec_->hw_device_ctx = av_buffer_ref(gpu->hardware());
        codec_->get_format = prefer_cuda;
    }
    // Frames decoded on the CPU are uploaded.
    const bool for_gpu = options_.gpu.is_gpu() && gpu == nullptr && !source.is_image;
    if (has_expansion_limit(codec.id) && codec.id != AV_CODEC_ID_GIF) {
        auto guard = std::make_unique<GuardedDecoding>(*codec_);
        guard_ = guard.get();
        log_ = std::move(guard);
    } else if (for_gpu)
        log_ = std::make_unique<PageLockedDecoding>(*codec_, options_.gpu);
    else
        log_ = std::make_unique<LogWatch>(*codec_);
    const ShortageWatch watch;
    const int result = avcodec_open2(codec_.get(), &codec, nullptr);
    // The H.264 decoder opens without its parameters when memory for them runs out.
    if (gpu == nullptr) watch.check("opening the decoder", options_.path);
    if (gpu == nullptr) watch.check_started(result, "opening the decoder", options_.path);
    if (result == AVERROR(ENOMEM)) av_check(result, "opening the decoder", options_.path);
    if (result >= 0) return;
    if (parameters.width > 0 &&
        av_image_check_size(static_cast<unsigned>(parameters.width),
                            static_cast<unsigned>(parameters.height), 0, nullptr) < 0)
        throw Undecodable(
            fmt::format("{}: its pictures of {}x{} are larger than FFmpeg can decode: "
                        "cut them into parts first",
                        options_.path, parameters.width, parameters.height),
            result);
    const std::string text = fmt::format("{}: FFmpeg's decoder {} cannot be opened: {}",
                                         options_.path, codec.name, av_error_text(result));
    if (is_lack(result) || log_->lacks_feature()) throw Undecodable(text, result);
    throw MediaError(Outcome::failed, text, result);
}

LibavDecoder::~LibavDecoder() = default;

std::int64_t LibavDecoder::errors() const {
    return failed_calls_ + log_->errors();
}

bool LibavDecoder::lacks_feature() const {
    return first_error_lacks_.value_or(log_->lacks_feature());
}

void LibavDecoder::count(int result, const ShortageWatch& watch) {
    const bool software = kind_ == DecoderKind::software;
    if (result == AVERROR(ENOMEM) && !software) gpu_out_of_memory_ = true;
    if (software && (result == AVERROR(ENOMEM) || log_->is_short_of_memory()))
        av_check(AVERROR(ENOMEM), "decoding", options_.path);
    if (software) watch.check("decoding", options_.path);
    if (guard_ != nullptr) guard_->check(options_.path);
    if (result < 0) ++failed_calls_;
    if (!first_error_lacks_ && errors() > 0)
        first_error_lacks_ = is_lack(result) || log_->lacks_feature();
}

void LibavDecoder::send(const AVPacket* packet) {
    if (guard_ != nullptr && packet != nullptr) guard_->begin(packet->size);
    const LogWatch::Call call(*log_);
    const ShortageWatch watch;
    count(avcodec_send_packet(codec_.get(), packet), watch);
}

AVFramePtr LibavDecoder::receive() {
    AVFramePtr frame = make_frame();
    for (;;) {
        const LogWatch::Call call(*log_);
        const ShortageWatch watch;
        const int result = avcodec_receive_frame(codec_.get(), frame.get());
        options_.heartbeat->beat();
        const bool nothing = result == AVERROR(EAGAIN) || result == AVERROR_EOF;
        count(nothing ? 0 : result, watch);
        if (nothing) return nullptr;
        if (result >= 0) return frame;
    }
}

bool LibavDecoder::lacks_surfaces() const {
    return kind_ == DecoderKind::gpu && (gpu_out_of_memory_ || log_->lacks_surfaces());
}

AVPixelFormat LibavDecoder::format_of(const AVFrame& surface) {
    if (surface.hw_frames_ctx == nullptr) return static_cast<AVPixelFormat>(surface.format);
    if (!surfaces_ || surfaces_->data != surface.hw_frames_ctx->data) {
        surfaces_.reset(av_buffer_ref(surface.hw_frames_ctx));
        surface_format_ = codec_->sw_pix_fmt;
    }
    return surface_format_;
}

}  // namespace weft
