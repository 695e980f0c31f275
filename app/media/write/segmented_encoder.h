// Restarts the encoder after a fixed number of frames, so that finished segments can be kept and an
// interrupted run can continue after them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/media/write/encoder.h"
#include "app/media/write/segment_store.h"

namespace weft {

// Without a store, a single VideoEncoder runs from the first frame to the last.
class SegmentedEncoder {
 public:
    // As VideoEncoder's; the store must outlive the encoder and sets its thread count. Throws
    // Error(usage) for encoders whose packets contain pointers, and as
    // SegmentStore::require_headers().
    SegmentedEncoder(EncoderSettings settings, const AVFrame& sample, SegmentStore* store);

    const AVCodecContext& context() const { return encoder_->context(); }
    AVRational time_base() const { return encoder_->time_base(); }
    const std::string& gpu_failure() const { return encoder_->gpu_failure(); }

    // For the file's first frames, which the store holds, call take_over() with their current
    // times, for the others encode(). take_over() delivers a segment's packets with its last frame,
    // and throws Error(failed) if the times differ.
    bool takes_over() const { return next_ < stored_; }
    void take_over(FrameTime time, const PacketSink& sink);

    // The hash of the frame that the next call of take_over() stands for.
    const Hash128& stored_hash() const;

    // As VideoEncoder's. Each segment is stored when it ends, before encode() returns, with the
    // frames' hashes.
    void encode(AVFramePtr frame, FrameTime time, const Hash128& hash, const PacketSink& sink);
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
    std::size_t stored_ = 0;           // segments in the store at the start of the run
    std::size_t next_ = 0;             // the next one to be taken over
    std::vector<std::int64_t> times_;  // pts of the segment's frames so far
    std::vector<Hash128> hashes_;      // for the frames of the current segment
    std::int64_t packets_ = 0;         // packets of these frames
    bool ended_ = false;               // the encoder belongs to the previous segment
    SegmentCounts counts_;
};

}  // namespace weft
