// An encoder that ends every so many frames and begins anew, so that what is finished can be kept:
// an interrupted run goes on behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/media/encoder.h"
#include "app/media/segment_store.h"

namespace weft {

// Frames of a segment, each of which begins with a key frame: x264 puts one here at the latest,
// too, so the files hardly grow.
constexpr std::int64_t kSegmentFrames = 250;

// Without a store it is one VideoEncoder from the first frame to the last.
class SegmentedEncoder {
 public:
    // As VideoEncoder's; the store outlives the encoder, and its thread count is taken. Throws
    // Error(usage) for encoders whose packets are no plain bytes, and as
    // SegmentStore::require_headers().
    SegmentedEncoder(EncoderSettings settings, const AVFrame& sample, SegmentStore* store);

    const AVCodecContext& context() const { return encoder_->context(); }
    AVRational time_base() const { return encoder_->time_base(); }

    // The first frames of the file, which the store holds: for these take_over() is called with the
    // times they have now, for the others encode(). The packets come when a segment's last frame is
    // taken. Throws Error(failed) where the times were others.
    bool takes_over() const { return next_ < stored_; }
    void take_over(FrameTime time, const PacketSink& sink);

    // As VideoEncoder's. Segments are stored as they end, before encode() returns.
    void encode(AVFramePtr frame, FrameTime time, const PacketSink& sink);
    void flush(const PacketSink& sink);

    const SegmentCounts& counts() const { return counts_; }

 private:
    void begin_segment();
    void end_segment(const PacketSink& sink);
    PacketSink storing(const PacketSink& sink);
    void check_times(std::vector<std::int64_t> stored) const;

    EncoderSettings settings_;
    AVFramePtr sample_;  // without pixels
    SegmentStore* store_;
    std::unique_ptr<VideoEncoder> encoder_;
    std::size_t stored_ = 0;           // segments in the store when the run began
    std::size_t next_ = 0;             // of these, to be taken over
    std::vector<std::int64_t> times_;  // pts of its frames that came
    std::int64_t frames_ = 0;          // in the segment at work
    std::int64_t packets_ = 0;         // of these
    bool ended_ = false;               // the encoder is of the segment before
    SegmentCounts counts_;
};

}  // namespace weft
