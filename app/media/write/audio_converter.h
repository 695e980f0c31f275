// Decodes and re-encodes audio that the output container cannot hold.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/frame_clock.h"
#include "app/media/write/stream_handler.h"

extern "C" {
#include <libavutil/audio_fifo.h>
}

namespace weft {

using AudioFifoPtr = std::unique_ptr<AVAudioFifo, CDelete<av_audio_fifo_free>>;

class AudioConverter final : public StreamHandler {
 public:
    // Decodes `in` and encodes it with `encoder` in the nearest rate, layout and sample format that
    // it supports; fills `out`. Throws MediaError. `in` outlives the converter.
    AudioConverter(const AVStream& in, AVStream& out, const std::string& encoder,
                   bool global_header, TimeShift shift);

    // Fills gaps in the audio with silence and cuts overlaps, to keep it in sync. Packets that
    // cannot be decoded count as silence; see damaged_packets().
    void write(AVPacketPtr packet, const TimedPacketSink& sink) override;
    void finish(const TimedPacketSink& sink) override;

    std::int64_t damaged_packets() const override { return damaged_packets_; }

 private:
    void open_encoder(const std::string& name, bool global_header);
    void open_resampler(const AVFrame& frame);
    void decode(const AVPacket* packet, const TimedPacketSink& sink);
    bool receive(AVFrame& frame);
    void take(const AVFrame& frame);
    void resample(const AVFrame* frame);
    void follow_time(const AVFrame& frame);
    void add_silence(std::int64_t samples);
    void encode_ready(bool all, const TimedPacketSink& sink);
    void encode(const AVFrame* frame, const TimedPacketSink& sink);

    const AVStream& in_;
    std::string name_;
    TimeShift shift_;
    CodecContextPtr decoder_;
    CodecContextPtr encoder_;
    SwrContextPtr resampler_;
    AudioFifoPtr fifo_;
    int from_rate_ = 0;
    int from_format_ = -1;
    int from_channels_ = 0;
    bool started_ = false;
    std::int64_t next_pts_ = 0;  // start of the fifo, in 1/rate
    std::int64_t skip_ = 0;      // samples of an overlap still to be cut
    std::int64_t damaged_packets_ = 0;
};

}  // namespace weft
