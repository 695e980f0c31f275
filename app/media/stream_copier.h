// Packets of one stream on their way into the output, as they are.
#pragma once

#include <cstdint>

#include "app/media/ffmpeg.h"
#include "app/media/frame_clock.h"
#include "app/media/stream_handler.h"

namespace weft {

class StreamCopier final : public StreamHandler {
 public:
    // Fills `out`'s parameters from `in`. H.264 and HEVC are turned to start codes where `muxer`
    // (AVI) wants them; everything else keeps its bytes, except what libav's muxers rewrite
    // themselves (the ADTS headers of AAC from .ts). `in` outlives the copier.
    StreamCopier(const AVStream& in, AVStream& out, const AVOutputFormat& muxer, TimeShift shift);

    void write(AVPacketPtr packet, const TimedPacketSink& sink) override;
    void finish(const TimedPacketSink& sink) override;

 private:
    void drain(const TimedPacketSink& sink);

    const AVStream& in_;
    std::int64_t shift_;
    BsfContextPtr filter_;
};

}  // namespace weft
