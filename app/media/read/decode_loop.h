// One pass over an input: turns packets into video frames and packets of the other streams, in file
// order, limited to the wanted time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/check/damage_watch.h"
#include "app/media/demux/closed_key.h"
#include "app/media/demux/time_range.h"
#include "app/media/read/frame_maker.h"
#include "app/media/read/reader.h"
#include "app/media/read/seeking_decoder.h"
#include "app/media/read/stream_changes.h"

namespace weft {

class DecodeLoop {
 public:
    // Opens the input at its beginning or, with `seek`, at the last key frame up to the wanted
    // start minus `earlier_us`. `options` outlives the loop. Throws MediaError as Reader does.
    explicit DecodeLoop(const ReaderOptions& options, bool seek = false,
                        std::int64_t earlier_us = 0);

    // Opens the input near a key frame, `earlier_us` before it, and decodes the video from the key
    // frame on. first_pts() is another if the seek has gone beyond it. Throws likewise.
    DecodeLoop(const ReaderOptions& options, const ClosedKey& key, std::int64_t earlier_us);

    // Advances by one picture or one packet, which may add to ready(). Throws MediaError.
    void step();
    // At the end: ready() has received its EndOfInput and report() is complete.
    bool over() const { return phase_ == Phase::over; }

    // Items read and not yet taken, in file order. Frames carry their index.
    std::deque<MediaItem>& ready() { return ready_; }
    // The number of frames put into ready() so far.
    std::int64_t frame_count() const { return frames_; }
    std::int64_t frames_before_start() const { return options_.counts_frames ? before_start_ : 0; }
    // Frees the decoder. Allows no more step().
    void stop_decoding() { source_.decoder().close(); }
    // The first frame decoded, wanted or not.
    std::optional<std::int64_t> first_pts() const { return first_pts_; }
    // Whether a seek landed at or before the wanted start, according to a time stored in the file.
    bool seek_is_exact() const {
        return first_pts_ && first_is_timed_ && !range_.after_start(*first_pts_, video().time_base);
    }
    // The input and the decoder that the loop uses.
    const SeekingDecoder& source() const { return source_; }
    const Demuxer& demuxer() const { return source_.demuxer(); }
    AVStream& video() const { return source_.video(); }
    // Discards the packets of streams that the options exclude; a discarded stream is left out of
    // the output as well, without being reported as lost.
    void leave_out_streams();
    const TimeRange& range() const { return range_; }
    const DamageReport& report() const { return report_; }
    // Changes in the wanted data read so far.
    const StreamChanges& changes() const { return changes_; }
    std::int64_t decode_errors() const { return source_.decoder().errors(); }
    Decoding decoding() const { return source_.decoder().decoding(); }
    // Notes so far of the decoder, on conversions and on frames that the file hides.
    std::vector<std::string> notes() const;

 private:
    enum class Phase { reading, draining, over };

    // Opens the input, then calls `seek`, which returns whether reading begins elsewhere than at
    // the beginning.
    DecodeLoop(const ReaderOptions& options, const std::function<bool(DecodeLoop&)>& seek);

    void read_packet();
    void take_packet(AVPacketPtr packet);
    bool is_before_key(const AVPacket& packet);
    void take_frame(AVFramePtr decoded);
    void pass_on(AVFramePtr decoded);
    void pass_on_timeless();
    std::string why_undecodable() const;
    bool wanted(const AVStream& stream) const;
    void finish();

    const ReaderOptions& options_;
    SeekingDecoder source_;
    TimeRange range_;
    FrameMaker maker_;
    DamageWatch watch_;
    StreamChanges changes_;
    Phase phase_ = Phase::reading;
    std::optional<ClosedKey> key_;  // not yet reached
    std::optional<std::int64_t> first_pts_;
    bool first_is_timed_ = false;
    bool video_done_ = false;           // decoded a frame past the wanted end
    bool range_done_ = false;           // no wanted data follows
    bool demuxer_lacks_ = false;        // a feature of the file
    std::vector<AVFramePtr> timeless_;  // decoded before the first with a time
    std::deque<MediaItem> ready_;
    std::int64_t frames_ = 0;
    std::int64_t before_start_ = 0;  // frames that were decoded and dropped
    DamageReport report_;
};

}  // namespace weft
