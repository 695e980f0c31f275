#include "app/media/read/decoder.h"

#include <utility>

#include <fmt/format.h>

#include "app/media/demux/frame_limits.h"
#include "app/media/read/page_locked_decoding.h"
#include "app/media/read/software_decoder.h"

namespace weft {

namespace {

// Above this (8K), a frame per decoding thread costs more memory than the time saved is worth.
constexpr std::int64_t kFrameThreadPixels = 40LL << 20;

// A stream that yields no picture after this many packets is not for the GPU: decoders hold back at
// most 16, and as many may precede the first key frame.
constexpr std::size_t kMostTried = 64;

// libav calls again without CUDA if the GPU refuses; the last format is software's.
AVPixelFormat prefer_cuda(AVCodecContext*, const AVPixelFormat* formats) {
    const AVPixelFormat* last = formats;
    for (const AVPixelFormat* format = formats; *format != AV_PIX_FMT_NONE; ++format) {
        if (*format == AV_PIX_FMT_CUDA) return *format;
        last = format;
    }
    return *last;
}

}  // namespace

Decoder::Decoder(const AVStream& stream, bool is_image, const ReaderOptions& options)
    : stream_(stream), options_(options), is_image_(is_image) {
    const AVCodecParameters& parameters = *stream.codecpar;
    check_size(parameters.width, parameters.height, options_.limits, options_.path);
    const AVCodec* codec = find_software_decoder(stream, notes_);
    if (!codec)
        throw MediaError(ExitCode::failed,
                         fmt::format("{}: FFmpeg has no decoder for {}", options_.path,
                                     avcodec_get_name(parameters.codec_id)));
    // Notes are about alpha, which a GPU cannot decode.
    if (options_.hwaccel != Hwaccel::none && !is_image && notes_.empty()) open_on_gpu();
    if (!gpu_) open(*codec, DecoderTrial::Who::software);
}

void Decoder::open_on_gpu() {
    if (!options_.gpu.is_gpu()) return refuse_gpu("no GPU is used");
    std::string why_not;
    const AVCodec* codec = find_gpu_decoder(stream_.codecpar->codec_id, why_not);
    if (codec) {
        try {
            gpu_ = std::make_unique<GpuSurfaces>(options_.gpu);
            open(*codec, DecoderTrial::Who::gpu);
            return;
        } catch (const std::exception& error) {
            why_not = error.what();
        }
    }
    refuse_gpu(std::move(why_not));
}

void Decoder::open(const AVCodec& codec, DecoderTrial::Who who) {
    who_ = who;
    const bool on_gpu = who == DecoderTrial::Who::gpu;
    const AVCodecParameters& parameters = *stream_.codecpar;
    codec_.reset(avcodec_alloc_context3(&codec));
    if (!codec_) throw_no_memory(options_.path);
    av_check(avcodec_parameters_to_context(codec_.get(), &parameters), "setting up the decoder",
             options_.path);
    codec_->pkt_timebase = stream_.time_base;
    codec_->max_pixels = options_.limits.max_pixels;
    codec_->thread_count = on_gpu ? 1 : options_.decoder_threads;
    const std::int64_t pixels = std::int64_t{parameters.width} * parameters.height;
    const bool slices_only = is_image_ || pixels > kFrameThreadPixels;
    codec_->thread_type = slices_only ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
    codec_->err_recognition = AV_EF_CRCCHECK;
    if (on_gpu) {
        codec_->hw_device_ctx = av_buffer_ref(&gpu_->hardware());
        codec_->get_format = prefer_cuda;
    }
    // Frames decoded on the CPU are uploaded.
    const bool for_gpu = options_.gpu.is_gpu() && !on_gpu && !is_image_;
    guard_ = nullptr;
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
    if (!on_gpu) watch.check("opening the decoder", options_.path);
    if (!on_gpu) watch.check_started(result, "opening the decoder", options_.path);
    av_check(result, "opening the decoder", options_.path);
}

void Decoder::refuse_gpu(std::string why_not) {
    codec_.reset();
    gpu_.reset();
    if (options_.hwaccel == Hwaccel::cuda)
        throw MediaError(ExitCode::no_gpu,
                         fmt::format("{}: -hwaccel cuda: {}", options_.path, why_not));
    decoding_.why_not = std::move(why_not);
}

void Decoder::flush() {
    avcodec_flush_buffers(codec_.get());
    tried_.clear();
    waiting_.clear();
    ended_ = false;
}

void Decoder::count(int result, const ShortageWatch& watch) {
    const bool software = who_ == DecoderTrial::Who::software;
    if (result == AVERROR(ENOMEM) || (software && log_->is_short_of_memory()))
        av_check(AVERROR(ENOMEM), "decoding", options_.path);
    if (software) watch.check("decoding", options_.path);
    if (guard_ != nullptr) guard_->check(options_.path);
    if (result < 0) ++errors_;
}

void Decoder::send(const AVPacket& packet) {
    // libav treats an empty packet as the end of the stream.
    if (packet.size == 0) return;
    compare(packet);
    const Clock::time_point began = Clock::now();
    if (codec_->codec_id == AV_CODEC_ID_PNG) check_png(packet, options_.limits, options_.path);
    if (tries_gpu()) {
        tried_.emplace_back(av_packet_clone(&packet));
        if (!tried_.back()) throw_no_memory(options_.path);
    }
    if (!first_ && !is_image_) first_.reset(av_packet_clone(&packet));
    if (guard_ != nullptr) guard_->begin(packet.size);
    {
        const LogWatch::Call call(*log_);
        const ShortageWatch watch;
        count(avcodec_send_packet(codec_.get(), &packet), watch);
    }
    options_.heartbeat->beat();
    account(began, 0);
}

void Decoder::learn(const AVPacket& packet) {
    learned_.reset(av_packet_clone(&packet));
    send(packet);
    flush();
    forgiven_ = all_errors();
}

void Decoder::send_end() {
    ended_ = true;
    const ShortageWatch watch;
    count(avcodec_send_packet(codec_.get(), nullptr), watch);
}

AVFramePtr Decoder::receive() {
    if (!waiting_.empty()) {
        AVFramePtr frame = std::move(waiting_.front());
        waiting_.pop_front();
        return frame;
    }
    const Clock::time_point began = Clock::now();
    AVFramePtr frame = take();
    if (tries_gpu() && settle(frame.get())) return receive();
    frame = from_surface(std::move(frame));
    account(began, frame ? 1 : 0);
    return frame;
}

// libav offers the GPU every mid-stream change of size or format, and falls back to software if it
// refuses: with one thread, until compare() can change that.
AVFramePtr Decoder::from_surface(AVFramePtr frame) {
    if (!frame || !decoding_.on_gpu || who_ == DecoderTrial::Who::software) return frame;
    if (frame->format == AV_PIX_FMT_CUDA) return gpu_->take(*frame, format_of(*frame));
    const std::string why_not =
        fmt::format("this GPU does not decode such {} as comes in mid-stream",
                    avcodec_get_name(stream_.codecpar->codec_id));
    if (options_.hwaccel == Hwaccel::cuda)
        throw MediaError(ExitCode::no_gpu,
                         fmt::format("{}: -hwaccel cuda: {}", options_.path, why_not));
    if (!gpu_gave_up_) notes_.push_back(why_not + ": software does");
    gpu_gave_up_ = true;
    return frame;
}

AVPixelFormat Decoder::format_of(const AVFrame& surface) {
    if (!surfaces_ || surfaces_->data != surface.hw_frames_ctx->data) {
        surfaces_.reset(av_buffer_ref(surface.hw_frames_ctx));
        surface_format_ = codec_->sw_pix_fmt;
    }
    return surface_format_;
}

// The decoder's next picture, still in its surface if it has one.
AVFramePtr Decoder::take() {
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

// The first picture, or the lack of one, shows whether the GPU accepts the stream: if not, libav
// falls back to software by itself, but with one thread. True when another decoder starts over.
bool Decoder::settle(const AVFrame* picture) {
    if (picture && picture->format == AV_PIX_FMT_CUDA) {
        decoding_.on_gpu = true;
        tried_.clear();
        begin_trial();
        return false;
    }
    if (!picture && !ended_ && tried_.size() < kMostTried) return false;
    refuse_gpu(fmt::format("this GPU does not decode such {}",
                           avcodec_get_name(stream_.codecpar->codec_id)));
    errors_ = forgiven_ = 0;
    open(*find_software_decoder(stream_, notes_), DecoderTrial::Who::software);
    std::deque<AVPacketPtr> tried = std::exchange(tried_, {});
    const bool ended = ended_;
    if (const AVPacketPtr first = std::move(learned_)) learn(*first);
    for (const AVPacketPtr& packet : tried) send_anew(*packet);
    if (ended) send_end();
    return true;
}

void Decoder::send_anew(const AVPacket& packet) {
    send(packet);
    while (AVFramePtr frame = take()) waiting_.push_back(std::move(frame));
}

}  // namespace weft
