#include "app/media/write/audio_converter.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "app/media/write/stream_plan.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
}

namespace weft {
namespace {

// Smaller deviations are rounding of the source's clock (1 ms in Matroska, frames of 20 ms in
// broken files) and are ignored.
constexpr double kToleratedSeconds = 0.04;
// Gaps longer than this are filled completely, but in pieces of this size.
constexpr int kSilencePiece = 48'000;
constexpr int kOpenFrameSize = 1024;  // for encoders that take any number of samples

int nearest_rate(const AVCodec& codec, int rate) {
    if (codec.supported_samplerates == nullptr) return rate;
    int best = 0;
    // The lowest rate that is high enough, else the highest.
    for (const int* r = codec.supported_samplerates; *r != 0; ++r)
        if (best == 0 || (best < rate ? *r > best : *r >= rate && *r < best)) best = *r;
    return best;
}

AVSampleFormat nearest_format(const AVCodec& codec, AVSampleFormat format) {
    if (codec.sample_fmts == nullptr) return format;
    AVSampleFormat best = codec.sample_fmts[0];
    for (const AVSampleFormat* f = codec.sample_fmts; *f != AV_SAMPLE_FMT_NONE; ++f) {
        if (av_get_packed_sample_fmt(*f) == av_get_packed_sample_fmt(format)) return *f;
        if (av_get_bytes_per_sample(*f) > av_get_bytes_per_sample(best)) best = *f;
    }
    return best;
}

AVChannelLayout known_layout(const AVChannelLayout& layout) {
    AVChannelLayout result{};
    if (layout.order == AV_CHANNEL_ORDER_UNSPEC)
        av_channel_layout_default(&result, layout.nb_channels);
    else
        av_channel_layout_copy(&result, &layout);
    return result;
}

// The same layout if the encoder supports it, else one with as many channels, else the closest
// count.
AVChannelLayout nearest_layout(const AVCodec& codec, const AVChannelLayout& layout) {
    const AVChannelLayout wanted = known_layout(layout);
    if (codec.ch_layouts == nullptr) return wanted;
    const AVChannelLayout* best = nullptr;
    for (const AVChannelLayout* l = codec.ch_layouts; l->nb_channels != 0; ++l) {
        if (av_channel_layout_compare(l, &wanted) == 0) return wanted;
        const bool closer = best == nullptr || std::abs(l->nb_channels - wanted.nb_channels) <
                                                   std::abs(best->nb_channels - wanted.nb_channels);
        if (closer) best = l;
    }
    return known_layout(*best);
}

AVFramePtr silent_frame(const AVCodecContext& encoder, int samples) {
    AVFramePtr frame = make_frame();
    frame->format = encoder.sample_fmt;
    frame->sample_rate = encoder.sample_rate;
    frame->nb_samples = samples;
    av_check(av_channel_layout_copy(&frame->ch_layout, &encoder.ch_layout), "describing audio",
             encoder.codec->name);
    av_check(av_frame_get_buffer(frame.get(), 0), "allocating audio", encoder.codec->name);
    av_samples_set_silence(frame->extended_data, 0, samples, encoder.ch_layout.nb_channels,
                           encoder.sample_fmt);
    return frame;
}

}  // namespace

AudioConverter::AudioConverter(const AVStream& in, AVStream& out, const std::string& encoder,
                               bool global_header, TimeShift shift)
    : in_(in), name_(stream_name(in)), shift_(shift) {
    decoder_ = open_decoder(in);
    open_encoder(encoder, global_header);
    av_check(avcodec_parameters_from_context(out.codecpar, encoder_.get()),
             "describing the new audio", name_);
    out.time_base = encoder_->time_base;
    fifo_.reset(av_audio_fifo_alloc(encoder_->sample_fmt, encoder_->ch_layout.nb_channels, 1));
    if (!fifo_) throw_no_memory();
}

void AudioConverter::open_encoder(const std::string& name, bool global_header) {
    const AVCodec* codec = avcodec_find_encoder_by_name(name.c_str());
    if (codec == nullptr)
        throw MediaError(Outcome::failed, name_ + ": this FFmpeg has no encoder " + name);
    encoder_.reset(avcodec_alloc_context3(codec));
    if (!encoder_) throw_no_memory();
    const int rate = decoder_->sample_rate > 0 ? decoder_->sample_rate : 48'000;
    encoder_->sample_rate = nearest_rate(*codec, rate);
    encoder_->sample_fmt = nearest_format(*codec, decoder_->sample_fmt);
    encoder_->ch_layout = nearest_layout(*codec, decoder_->ch_layout);
    encoder_->time_base = {1, encoder_->sample_rate};
    encoder_->bits_per_raw_sample = decoder_->bits_per_raw_sample;
    // About 96 kbit/s per channel for stereo, as music players expect of Opus and AAC.
    encoder_->bit_rate = 96'000LL * encoder_->ch_layout.nb_channels;
    if (global_header) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    av_check(avcodec_open2(encoder_.get(), codec, nullptr), "opening the audio encoder " + name,
             name_);
}

void AudioConverter::open_resampler(const AVFrame& frame) {
    if (resampler_ && from_rate_ == frame.sample_rate && from_format_ == frame.format &&
        from_channels_ == frame.ch_layout.nb_channels)
        return;
    if (resampler_) resample(nullptr);
    AVChannelLayout from = known_layout(frame.ch_layout);
    SwrContext* raw = nullptr;
    av_check(swr_alloc_set_opts2(
                 &raw, &encoder_->ch_layout, encoder_->sample_fmt, encoder_->sample_rate, &from,
                 static_cast<AVSampleFormat>(frame.format), frame.sample_rate, 0, nullptr),
             "preparing audio conversion", name_);
    resampler_.reset(raw);
    av_check(swr_init(raw), "preparing audio conversion", name_);
    from_rate_ = frame.sample_rate;
    from_format_ = frame.format;
    from_channels_ = frame.ch_layout.nb_channels;
}

void AudioConverter::write(AVPacketPtr packet, const TimedPacketSink& sink) {
    decode(packet.get(), sink);
}

void AudioConverter::decode(const AVPacket* packet, const TimedPacketSink& sink) {
    const ShortageWatch watch;
    const int sent = avcodec_send_packet(decoder_.get(), packet);
    watch.check("decoding audio", name_);
    if (sent < 0 && packet != nullptr) ++damaged_packets_;
    const AVFramePtr frame = make_frame();
    while (receive(*frame)) {
        take(*frame);
        av_frame_unref(frame.get());
        encode_ready(false, sink);
    }
}

bool AudioConverter::receive(AVFrame& frame) {
    const ShortageWatch watch;
    const int result = avcodec_receive_frame(decoder_.get(), &frame);
    watch.check("decoding audio", name_);
    return result >= 0;
}

void AudioConverter::take(const AVFrame& frame) {
    open_resampler(frame);
    follow_time(frame);
    resample(&frame);
}

// Compares the frame's time with the samples received so far and fills or cuts the difference.
void AudioConverter::follow_time(const AVFrame& frame) {
    const std::int64_t source = frame.best_effort_timestamp;
    if (source == AV_NOPTS_VALUE) return;
    const std::int64_t pts =
        av_rescale_q(source - shift_.in(in_.time_base), in_.time_base, encoder_->time_base);
    if (!started_) {
        started_ = true;
        next_pts_ = pts;
        return;
    }
    const std::int64_t waiting =
        av_audio_fifo_size(fifo_.get()) + swr_get_delay(resampler_.get(), encoder_->sample_rate);
    const std::int64_t gap = pts - (next_pts_ + waiting - skip_);
    if (static_cast<double>(std::abs(gap)) < kToleratedSeconds * encoder_->sample_rate) return;
    if (gap > 0)
        add_silence(gap);
    else
        skip_ -= gap;
}

void AudioConverter::add_silence(std::int64_t samples) {
    const std::int64_t cut = std::min(samples, skip_);
    skip_ -= cut;
    for (samples -= cut; samples > 0; samples -= kSilencePiece) {
        const int piece = static_cast<int>(std::min<std::int64_t>(samples, kSilencePiece));
        const AVFramePtr silence = silent_frame(*encoder_, piece);
        av_check(av_audio_fifo_write(fifo_.get(), reinterpret_cast<void**>(silence->extended_data),
                                     piece),
                 "buffering audio", name_);
    }
}

void AudioConverter::resample(const AVFrame* frame) {
    const int in_samples = frame != nullptr ? frame->nb_samples : 0;
    const int room = swr_get_out_samples(resampler_.get(), in_samples);
    if (room <= 0) return;
    const AVFramePtr out = silent_frame(*encoder_, room);
    const auto** in =
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it only adds const
        frame != nullptr ? const_cast<const std::uint8_t**>(frame->extended_data) : nullptr;
    const int got =
        av_check(swr_convert(resampler_.get(), out->extended_data, room, in, in_samples),
                 "converting audio", name_);
    av_check(av_audio_fifo_write(fifo_.get(), reinterpret_cast<void**>(out->extended_data), got),
             "buffering audio", name_);
    const auto cut =
        static_cast<int>(std::min<std::int64_t>(skip_, av_audio_fifo_size(fifo_.get())));
    av_audio_fifo_drain(fifo_.get(), cut);
    skip_ -= cut;
}

void AudioConverter::encode_ready(bool all, const TimedPacketSink& sink) {
    const int size = encoder_->frame_size > 0 ? encoder_->frame_size : kOpenFrameSize;
    while (av_audio_fifo_size(fifo_.get()) >= (all ? 1 : size)) {
        const int samples = std::min(size, av_audio_fifo_size(fifo_.get()));
        const AVFramePtr frame = silent_frame(*encoder_, samples);
        av_check(av_audio_fifo_read(fifo_.get(), reinterpret_cast<void**>(frame->extended_data),
                                    samples),
                 "buffering audio", name_);
        frame->pts = next_pts_;
        next_pts_ += samples;
        encode(frame.get(), sink);
    }
}

void AudioConverter::encode(const AVFrame* frame, const TimedPacketSink& sink) {
    av_check(avcodec_send_frame(encoder_.get(), frame), "encoding audio", name_);
    while (true) {
        AVPacketPtr packet = make_packet();
        const int result = avcodec_receive_packet(encoder_.get(), packet.get());
        if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
        av_check(result, "encoding audio", name_);
        sink(std::move(packet), encoder_->time_base);
    }
}

void AudioConverter::finish(const TimedPacketSink& sink) {
    decode(nullptr, sink);
    if (resampler_) resample(nullptr);
    encode_ready(true, sink);
    encode(nullptr, sink);
}

}  // namespace weft
