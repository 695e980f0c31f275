#include "assets/clip_encoder.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>

#include "assets/clip_scene.h"

namespace weft::clip {
namespace {

CodecContextPtr allocate_codec(const char* name, const std::string& path) {
    const AVCodec* codec = avcodec_find_encoder_by_name(name);
    if (!codec)
        throw MediaError(Outcome::failed, std::string("this FFmpeg has no encoder ") + name +
                                              ", needed for " + path);
    CodecContextPtr context(avcodec_alloc_context3(codec));
    if (!context) throw MediaError(Outcome::failed, "out of memory");
    // Single-threaded and without library versions in the file: every machine writes the same
    // bytes.
    context->thread_count = 1;
    context->flags |= AV_CODEC_FLAG_BITEXACT;
    return context;
}

SwsContextPtr bgr_to_bt709() {
    SwsContextPtr context(sws_getContext(kWidth, kHeight, AV_PIX_FMT_BGR24, kWidth, kHeight,
                                         AV_PIX_FMT_YUV420P, SWS_BILINEAR | SWS_ACCURATE_RND,
                                         nullptr, nullptr, nullptr));
    if (!context) throw MediaError(Outcome::failed, "swscale cannot convert BGR to YUV 4:2:0");
    const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
    av_check(sws_setColorspaceDetails(context.get(), bt709, 1, bt709, 0, 0, 1 << 16, 1 << 16),
             "choosing BT.709", "the sample clip");
    return context;
}

}  // namespace

Encoder::Encoder(const std::string& path) : path_(path), to_yuv_(bgr_to_bt709()) {
    AVFormatContext* file = nullptr;
    av_check(avformat_alloc_output_context2(&file, nullptr, nullptr, path.c_str()),
             "choosing a container", path);
    file_.reset(file);
    file_->flags |= AVFMT_FLAG_BITEXACT;
    video_ = open_video();
    audio_ = open_audio();
    av_check(avio_open(&file_->pb, path.c_str(), AVIO_FLAG_WRITE), "creating", path);
    av_check(avformat_write_header(file_.get(), nullptr), "writing the header of", path);
}

Encoder::Track Encoder::open_video() {
    Track track{.codec = allocate_codec("libx264", path_)};
    AVCodecContext& codec = *track.codec;
    codec.width = kWidth;
    codec.height = kHeight;
    codec.pix_fmt = AV_PIX_FMT_YUV420P;
    codec.time_base = {1, kFramesPerSecond};
    codec.framerate = {kFramesPerSecond, 1};
    codec.color_range = AVCOL_RANGE_MPEG;
    codec.colorspace = AVCOL_SPC_BT709;
    codec.color_primaries = AVCOL_PRI_BT709;
    codec.color_trc = AVCOL_TRC_BT709;
    av_check(av_opt_set(codec.priv_data, "preset", "veryfast", 0), "setting the preset", path_);
    av_check(av_opt_set(codec.priv_data, "crf", "26", 0), "setting the quality", path_);
    add_stream(track);
    return track;
}

Encoder::Track Encoder::open_audio() {
    Track track{.codec = allocate_codec("aac", path_)};
    AVCodecContext& codec = *track.codec;
    codec.sample_rate = kSampleRate;
    codec.sample_fmt = AV_SAMPLE_FMT_FLTP;
    codec.bit_rate = 96000;
    codec.time_base = {1, kSampleRate};
    av_channel_layout_default(&codec.ch_layout, 2);
    add_stream(track);
    return track;
}

void Encoder::add_stream(Track& track) {
    if (file_->oformat->flags & AVFMT_GLOBALHEADER)
        track.codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    av_check(avcodec_open2(track.codec.get(), nullptr, nullptr), "opening an encoder for", path_);
    track.stream = avformat_new_stream(file_.get(), nullptr);
    if (!track.stream) throw MediaError(Outcome::failed, "out of memory");
    track.stream->time_base = track.codec->time_base;
    track.stream->avg_frame_rate = track.codec->framerate;
    av_check(avcodec_parameters_from_context(track.stream->codecpar, track.codec.get()),
             "describing a stream of", path_);
}

void Encoder::write(const cv::Mat& bgr) {
    AVFramePtr frame = make_frame();
    frame->format = AV_PIX_FMT_YUV420P;
    frame->width = kWidth;
    frame->height = kHeight;
    av_check(av_frame_get_buffer(frame.get(), 0), "allocating a picture for", path_);
    const std::uint8_t* const planes[] = {bgr.data};
    const int pitches[] = {static_cast<int>(bgr.step)};
    av_check(sws_scale(to_yuv_.get(), planes, pitches, 0, kHeight, frame->data, frame->linesize),
             "converting a picture for", path_);
    frame->pts = pictures_++;
    encode(video_, frame.get());
    write_sound(pictures_ * kSampleRate / kFramesPerSecond);
}

void Encoder::write_sound(std::int64_t until_sample) {
    while (samples_ < until_sample) {
        AVFramePtr frame = make_frame();
        frame->format = AV_SAMPLE_FMT_FLTP;
        frame->sample_rate = kSampleRate;
        frame->nb_samples = audio_.codec->frame_size;
        av_check(av_channel_layout_copy(&frame->ch_layout, &audio_.codec->ch_layout),
                 "describing the sound of", path_);
        av_check(av_frame_get_buffer(frame.get(), 0), "allocating sound for", path_);
        auto* left = reinterpret_cast<float*>(frame->data[0]);
        for (int i = 0; i < frame->nb_samples; ++i) left[i] = tone_sample(samples_ + i);
        std::copy_n(left, frame->nb_samples, reinterpret_cast<float*>(frame->data[1]));
        frame->pts = samples_;
        samples_ += frame->nb_samples;
        encode(audio_, frame.get());
    }
}

void Encoder::encode(const Track& track, const AVFrame* frame) {
    AVCodecContext& codec = *track.codec;
    av_check(avcodec_send_frame(&codec, frame), "encoding", path_);
    const AVPacketPtr packet = make_packet();
    for (;;) {
        const int result = avcodec_receive_packet(&codec, packet.get());
        if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
        av_check(result, "encoding", path_);
        av_packet_rescale_ts(packet.get(), codec.time_base, track.stream->time_base);
        packet->stream_index = track.stream->index;
        av_check(av_interleaved_write_frame(file_.get(), packet.get()), "writing", path_);
    }
}

void Encoder::finish() {
    encode(video_, nullptr);
    encode(audio_, nullptr);
    av_check(av_write_trailer(file_.get()), "writing the index of", path_);
    av_check(avio_closep(&file_->pb), "closing", path_);
}

}  // namespace weft::clip
