// Counts the packets of every stream and tries the decoders of those that are copied, so that the
// proof of an input is true of all its streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/check/damage.h"
#include "app/media/demux/demuxer.h"
#include "app/media/structure/structure.h"

namespace weft {

class StreamWatch {
 public:
    // `demuxer` and `video`, the filtered stream, outlive the watch.
    StreamWatch(const Demuxer& demuxer, const AVStream& video) : demuxer_(demuxer), video_(video) {}

    // A packet of any stream, as it was read. Audio that is not the filtered stream is decoded
    // until one packet succeeds: a changed header makes all of them fail. Throws MediaError when
    // memory runs out.
    void packet(const AVPacket& packet);

    // Compares a file that was read from its beginning to its end with what its container states.
    void judge_whole(const std::vector<StreamContent>& stated, DamageCollector& collector);
    // Packets that edit lists hide, which are not copied; after judge_whole().
    const std::vector<std::string>& notes() const { return notes_; }
    // Names the streams that no decoder can read, after any reading.
    void judge_decoders();
    // Why the packets read prove nothing; after the judgements.
    const std::vector<std::string>& doubts() const { return doubts_; }

 private:
    struct Tally {
        std::int64_t packets = 0;
        std::int64_t bytes = 0;
        std::int64_t discarded_packets = 0;  // by libav, because of an edit list or wrong times
        std::int64_t discarded_bytes = 0;
        std::int64_t first_byte = -1;
        std::int64_t last_byte = -1;
        std::int64_t end_us = INT64_MIN;
        bool open_end = false;  // the last packet has no duration
        CodecContextPtr decoder;
        int packets_tried = 0;
        bool tried = false;     // the decoder was opened, or cannot be
        std::string objection;  // of the decoder
    };

    void try_decoder(const AVStream& stream, const AVPacket& packet, Tally& tally) const;
    bool is_judged(const AVStream& stream) const;
    void judge_content(const AVStream& stream, const Tally& tally, const StreamContent& stated,
                       DamageCollector& collector);
    std::string end_problem(const AVStream& stream, const Tally& tally) const;

    const Demuxer& demuxer_;
    const AVStream& video_;
    std::vector<Tally> tallies_;
    std::vector<std::string> notes_;
    std::vector<std::string> doubts_;
};

}  // namespace weft
