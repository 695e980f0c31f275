// Copies packets of a stream to the output without re-encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/media/demux/adts.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/write/frame_clock.h"
#include "app/media/write/stream_handler.h"

namespace weft {

struct CopySettings {
    const AVStream& in;  // outlives the copier
    const AVOutputFormat& muxer;
    TimeShift shift;
    std::string path;  // the source's, for messages
};

class StreamCopier final : public StreamHandler {
 public:
    // Fills `out`'s parameters from the source's. H.264 and HEVC are converted to start codes if
    // the muxer (AVI) requires them; all other packets are unchanged, except for libav's own muxer
    // rewrites (the ADTS headers of AAC from .ts).
    StreamCopier(CopySettings settings, AVStream& out);

    // Throws MediaError(failed) if AAC changes its sample rate or channels and the file, which
    // stores them once, would play wrongly from there on.
    void write(AVPacketPtr packet, const TimedPacketSink& sink) override;
    void finish(const TimedPacketSink& sink) override;

 private:
    void refuse_change(const AVPacket& packet);
    void drain(const TimedPacketSink& sink);

    const AVStream& in_;
    std::int64_t shift_;
    std::string path_;
    bool takes_headers_off_;  // the muxer strips AAC's headers
    std::optional<AdtsHeader> header_;
    BsfContextPtr filter_;
};

}  // namespace weft
