#include "app/viewer/audio/audio_decoder.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
}

#include <cmath>
#include <span>

#include "app/viewer/audio/audio_output.h"

namespace weft {

namespace {

// Seeks go this far before the requested time: decoders of lossy audio need a few packets before
// their output is correct.
constexpr double kEarlierSeconds = 0.1;

constexpr int kMaxReadErrors = 64;

ReaderOptions options_for(const std::string& path) {
    ReaderOptions options;
    options.path = path;
    return options;
}

struct ChannelLayout {
    ~ChannelLayout() { av_channel_layout_uninit(&layout); }
    AVChannelLayout layout{};
};

}  // namespace

AudioDecoder::AudioDecoder(const std::string& path) : options_(options_for(path)) {
    open();
}

void AudioDecoder::open() {
    demuxer_ = std::make_unique<Demuxer>(options_);
    AVFormatContext& context = demuxer_->context();
    const AVCodec* decoder = nullptr;
    stream_index_ = av_check(av_find_best_stream(&context, AVMEDIA_TYPE_AUDIO, -1, -1, &decoder, 0),
                             "finding the audio stream", options_.path);
    for (AVStream* other : std::span(context.streams, context.nb_streams))
        if (other->index != stream_index_) other->discard = AVDISCARD_ALL;
    codec_.reset(avcodec_alloc_context3(decoder));
    if (!codec_)
        throw MediaError(Outcome::failed, options_.path + ": out of memory", AVERROR(ENOMEM));
    av_check(avcodec_parameters_to_context(codec_.get(), stream().codecpar),
             "setting up the audio decoder", options_.path);
    codec_->pkt_timebase = stream().time_base;
    av_check(avcodec_open2(codec_.get(), decoder, nullptr), "opening the audio decoder",
             options_.path);
    draining_ = false;
}

void AudioDecoder::seek(double seconds) {
    wanted_ = seconds;
    converter_.reset();
    const double time = (seconds - kEarlierSeconds) / av_q2d(stream().time_base);
    if (!demuxer_->seek(stream_index_, static_cast<std::int64_t>(std::floor(time)))) return open();
    avcodec_flush_buffers(codec_.get());
    draining_ = false;
}

std::optional<AudioChunk> AudioDecoder::next() {
    const AVFramePtr frame = make_frame();
    for (;;) {
        const int result = avcodec_receive_frame(codec_.get(), frame.get());
        if (result >= 0) {
            auto chunk = convert(*frame);
            if (chunk) return chunk;
        } else if (result == AVERROR_EOF || (result == AVERROR(EAGAIN) && draining_)) {
            return std::nullopt;
        } else if (result == AVERROR(EAGAIN) && !send_packet()) {
            draining_ = true;
            (void)avcodec_send_packet(codec_.get(), nullptr);
        }
    }
}

bool AudioDecoder::send_packet() {
    const AVPacketPtr packet = make_packet();
    for (int errors = 0; errors <= kMaxReadErrors;) {
        av_packet_unref(packet.get());
        const int result = demuxer_->read(*packet);
        if (result == AVERROR_EOF) return false;
        errors = result < 0 ? errors + 1 : 0;
        if (result < 0 || packet->stream_index != stream_index_ || packet->size == 0) continue;
        // A packet that cannot be decoded is a gap, which the player fills.
        if (avcodec_send_packet(codec_.get(), packet.get()) >= 0) return true;
    }
    return false;
}

void AudioDecoder::set_up_converter(const AVFrame& frame) {
    const bool same = converter_ && source_rate_ == frame.sample_rate &&
                      source_format_ == frame.format &&
                      source_channels_ == frame.ch_layout.nb_channels;
    if (same) return;
    source_rate_ = frame.sample_rate;
    source_format_ = frame.format;
    source_channels_ = frame.ch_layout.nb_channels;
    ChannelLayout from;
    if (frame.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
        av_channel_layout_default(&from.layout, source_channels_);
    else
        av_check(av_channel_layout_copy(&from.layout, &frame.ch_layout), "reading audio",
                 options_.path);
    AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
    SwrContext* made = nullptr;
    const int result = swr_alloc_set_opts2(&made, &stereo, AV_SAMPLE_FMT_FLT, kAudioRate,
                                           &from.layout, static_cast<AVSampleFormat>(frame.format),
                                           frame.sample_rate, 0, nullptr);
    converter_.reset(made);
    av_check(result, "setting up the audio conversion", options_.path);
    av_check(swr_init(converter_.get()), "setting up the audio conversion", options_.path);
}

// nullopt if the samples precede the requested time or the resampler holds them back.
std::optional<AudioChunk> AudioDecoder::convert(const AVFrame& frame) {
    const std::int64_t pts = frame.best_effort_timestamp;
    const double begin = pts == AV_NOPTS_VALUE
                             ? next_seconds_
                             : static_cast<double>(pts) * av_q2d(stream().time_base);
    next_seconds_ = begin + static_cast<double>(frame.nb_samples) / frame.sample_rate;
    if (next_seconds_ < wanted_ - kEarlierSeconds) return std::nullopt;
    set_up_converter(frame);
    AudioChunk chunk;
    const std::int64_t delay_us = swr_get_delay(converter_.get(), 1'000'000);
    chunk.seconds = begin - static_cast<double>(delay_us) / 1e6;
    const int room = swr_get_out_samples(converter_.get(), frame.nb_samples);
    chunk.stereo.resize(static_cast<std::size_t>(std::max(room, 0)) * 2);
    auto* out = reinterpret_cast<std::uint8_t*>(chunk.stereo.data());
    // swr_convert() reads the planes only; its parameter is no pointer to constant pointers.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    auto* const planes = const_cast<const std::uint8_t**>(frame.extended_data);
    const int made = av_check(swr_convert(converter_.get(), &out, room, planes, frame.nb_samples),
                              "converting audio", options_.path);
    chunk.stereo.resize(static_cast<std::size_t>(made) * 2);
    if (made == 0) return std::nullopt;
    return chunk;
}

}  // namespace weft
