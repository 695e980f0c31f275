// Records which packets came out of the decoder as frames, to find frames that vanished without
// an error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Whether a packet of this codec produces exactly one picture. False for hidden VP8 and VP9 frames,
// the placeholders of packed MPEG-4 B-frames, empty packets (a repeated frame in AVI) and packets
// that an edit list discards.
bool makes_frame(AVCodecID codec, const AVPacket& packet);

// A FrameLedger compares packets with decoded frames; a FrameList counts frames without decoding.
class FrameLedger {
 public:
    struct Entry {
        std::int64_t pts;
        std::int64_t byte;  // -1: unknown
    };

    // `stream` must outlive the ledger.
    // `starts_anywhere`: frames before the first delivered one may be undecodable in a healthy
    // file: after a seek, and in streams whose recording can start at any point (ts, raw). A stream
    // that begins with a frame on which all later ones can build did not start between key
    // frames.
    FrameLedger(const AVStream& stream, bool starts_anywhere);

    void sent(const AVPacket& packet);
    void received(std::int64_t pts);  // the packet's pts, as the frame carries it

    // Whether a decode error now belongs to frames before the first decodable one.
    bool leading() const;
    // Whether the decoder has returned a frame, and whether a packet was marked as a key frame.
    bool received_any() const { return received_any_; }
    bool key_seen() const { return first_key_pts_.has_value(); }
    // Packets sent that an index counts: those with bytes that no edit list discards. Hidden VP8
    // frames and placeholders are included.
    std::int64_t sent_count() const { return sent_; }
    // Packets that should have produced a frame but did not, in order of pts; complete once the
    // decoder is drained. Leading pictures that lack their references are excluded.
    std::vector<Entry> missing() const;

 private:
    struct Sent {
        std::int64_t byte;
        bool before_key;
    };

    const AVCodecParameters& codec_;
    bool tracked_;
    bool starts_anywhere_;
    bool intra_only_;
    bool is_first_ = true;
    bool received_any_ = false;
    std::int64_t sent_ = 0;
    std::optional<std::int64_t> first_key_pts_;
    std::optional<std::int64_t> first_received_pts_;
    std::multimap<std::int64_t, Sent> open_;
};

}  // namespace weft
