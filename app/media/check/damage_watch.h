// Watches every packet, frame and error of the Reader, and at the end compares them with what the
// container promises.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/media/check/damage.h"
#include "app/media/check/frame_ledger.h"
#include "app/media/check/packet_check.h"
#include "app/media/check/stream_watch.h"
#include "app/media/demux/demuxer.h"
#include "app/media/demux/time_range.h"
#include "app/media/structure/structure.h"

namespace weft {

// The decoder's data on a frame, copied before the frame is converted.
struct DecodedFacts {
    explicit DecodedFacts(const AVFrame& decoded);
    std::int64_t duration;
    std::int64_t byte;
    bool corrupt;  // flagged or concealed
};

class DamageWatch {
 public:
    // `demuxer` and `video` outlive the watch. `seeked`: reading does not start at the beginning.
    DamageWatch(const Demuxer& demuxer, const AVStream& video, TimeRange range, bool seeked);

    // packet_read() takes a packet of any stream, as it was read; packet_sent() one that goes to
    // the video decoder. Throws MediaError if the file's structure cannot be read.
    void packet_read(const AVPacket& packet);
    void packet_sent(const AVPacket& packet);
    // A frame as the decoder returned it.
    void decoded(const AVFrame& frame) { ledger_.received(frame.pts); }
    // The same frame once its time is known.
    void frame(const DecodedFacts& decoded, std::int64_t pts);
    // The decoder's count of failed calls so far.
    void decoder_errors(std::int64_t total);
    void read_error();
    // Whether the file has been read to its end, leaving no part of a packet: errors that a demuxer
    // reports here mean the end (RoQ's, SMJPEG's).
    bool all_read() const;

    // Whether the container's structure is broken, and not its pictures alone; valid after
    // finish().
    bool found_broken_bytes() const { return broken_bytes_; }
    // Whether the file held packets of the video, empty ones too.
    bool saw_packets() const { return video_packets_ > 0; }
    // `at_end`: everything up to the end of the file was wanted. Reads the rest of the file if its
    // format has checksums to verify. Throws MediaError on I/O errors.
    DamageReport finish(bool at_end);
    // Notes about healthy files, complete after finish().
    const std::vector<std::string>& notes() const { return streams_.notes(); }

 private:
    BadPlace place_of(std::int64_t pts, std::int64_t byte) const;
    bool relevant(const StructureReport& found, bool at_end) const;
    bool duration_is_stated() const;
    bool time_is_missing(std::int64_t tolerance_us) const;
    std::optional<double> time_at(std::int64_t byte) const;
    // Returns the problems found.
    StructureReport judge_structure(bool at_end);
    std::string proof(const StructureReport& found, bool at_end) const;
    void judge_index(const StructureReport& walked, bool at_end);
    void judge_counts(const StructureReport& found);
    void judge_tail();
    void judge_sequence();
    void judge_rest();
    void doubt(const std::string& clause);
    void check_member(std::int64_t pts);
    void broken_packet(BadPlace place);
    void broken_structure(std::string sentence, BadPlace place);

    const Demuxer& demuxer_;
    const AVStream& video_;
    TimeRange range_;
    FrameLedger ledger_;
    NalCheck nal_check_;
    StreamWatch streams_;
    std::unique_ptr<StructureWalk> structure_;
    bool from_start_;
    DamageCollector collector_;
    std::string doubts_;
    std::vector<std::pair<std::int64_t, std::int64_t>> positions_;  // byte and pts of frames sent
    bool broken_bytes_ = false;
    std::int64_t errors_seen_ = 0;
    std::vector<BadPlace> errors_before_key_;  // between the first frame and the first key frame
    std::int64_t video_packets_ = 0;           // read, empty ones too
    std::int64_t frames_ = 0;                  // in the range
    std::int64_t last_sent_pts_ = AV_NOPTS_VALUE;
    std::int64_t last_sent_byte_ = -1;
    std::int64_t last_sent_size_ = 0;
    ByteRange read_{INT64_MAX, 0};
    std::int64_t end_us_ = INT64_MIN;     // end of the data read, any stream
    std::int64_t video_end_ = INT64_MIN;  // of the frames delivered, in the stream's ticks
    std::int64_t open_duration_us_ = 0;   // of a last packet with unknown duration
};

}  // namespace weft
