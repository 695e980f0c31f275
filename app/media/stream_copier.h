// Packets of one stream on their way into the output, as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/media/adts.h"
#include "app/media/ffmpeg.h"
#include "app/media/frame_clock.h"
#include "app/media/stream_handler.h"

namespace weft {

struct CopySettings {
    const AVStream& in;  // outlives the copier
    const AVOutputFormat& muxer;
    TimeShift shift;
    std::string path;  // of the source, for messages
};

class StreamCopier final : public StreamHandler {
 public:
    // Fills `out`'s parameters from the source's. H.264 and HEVC are turned to start codes where
    // the muxer (AVI) wants them; everything else keeps its bytes, except what libav's muxers
    // rewrite themselves (the ADTS headers of AAC from .ts).
    StreamCopier(CopySettings settings, AVStream& out);

    // Throws MediaError(failed) where AAC changes its rate or channels and the file, which says
    // them once, would be played wrongly from there on.
    void write(AVPacketPtr packet, const TimedPacketSink& sink) override;
    void finish(const TimedPacketSink& sink) override;

 private:
    void refuse_change(const AVPacket& packet);
    void drain(const TimedPacketSink& sink);

    const AVStream& in_;
    std::int64_t shift_;
    std::string path_;
    bool takes_headers_off_;  // of AAC
    std::optional<AdtsHeader> header_;
    BsfContextPtr filter_;
};

}  // namespace weft
