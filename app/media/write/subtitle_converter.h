// Converts text subtitles to the format of the output container.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/frame_clock.h"
#include "app/media/write/stream_handler.h"

namespace weft {

class SubtitleConverter final : public StreamHandler {
 public:
    // Decodes `in` and encodes it with `encoder`; fills `out`. Throws MediaError. `in` must outlive
    // the converter.
    SubtitleConverter(const AVStream& in, AVStream& out, const std::string& encoder,
                      TimeShift shift);

    // Converts each event to one packet; packets without text (mov_text pads gaps with them) are
    // dropped.
    void write(AVPacketPtr packet, const TimedPacketSink& sink) override;

    std::int64_t damaged_packets() const override { return damaged_packets_; }

 private:
    void open_encoder(const std::string& name);
    AVPacketPtr encode(const AVSubtitle& event);

    const AVStream& in_;
    std::string name_;
    std::int64_t shift_;
    CodecContextPtr decoder_;
    CodecContextPtr encoder_;
    std::vector<std::uint8_t> buffer_;
    std::int64_t damaged_packets_ = 0;
};

}  // namespace weft
