// The three stages of the pipeline and the items that pass between them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <stop_token>
#include <string>

#include "app/media/picture/frame_memory.h"
#include "app/media/read/reader.h"
#include "app/media/write/gpu_encoder.h"
#include "app/media/write/writer.h"
#include "app/pipeline/bounded_queue.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/format_keeper.h"
#include "app/pipeline/report/stage_clock.h"
#include "app/pipeline/stack/box_counts.h"
#include "app/pipeline/stack/stack_runner.h"

namespace weft {

using MediaQueue = BoundedQueue<MediaItem>;

// An item's weight in a queue, in bytes.
std::size_t weight_of(const MediaItem& item);

// Four frames, but at most 64 MiB, so that a queue of giant frames holds one.
std::size_t queue_capacity(const Frame& frame);

// Receives the times that read_stage() measures.
struct ReadTimes {
    Durations& frames;  // time per frame, including the packets before it
    StageClock& clock;
};

// Reads frames and packets to the end of the input, or until frame `end`. Returns the number of
// frames up to there, with those that the reader skipped.
std::int64_t read_stage(Reader& reader, MediaQueue& out, ReadTimes times,
                        const std::stop_token& stop, std::optional<std::int64_t> end = {});

// The settings of the stage for one file.
struct FilterStageOptions {
    std::string path;  // for messages
    OnChange on_change = OnChange::fail;
    FrameComposer compose = {};       // see FileJob::compose
    StackRunner* compared = nullptr;  // null: compose with the input frame
    // Surfaces of an encoder for the results, which are then not composed; null: on the host.
    std::shared_ptr<EncoderSurfaces> surfaces = {};
    // Memory of the results, which outlives this. The filter's buffers are then kept after a still
    // picture, too, unless it is a giant one. Null: the stage's own.
    FrameMemory* results = nullptr;
    std::int64_t begin = 0;  // the first frame of the part of the film that the run makes
};

// Filters the frames, all in the first one's format, and passes packets through. Errors name the
// input and the time.
class FilterStage {
 public:
    // `reader` must not have delivered its first frame yet. The filters must outlive this.
    FilterStage(StackRunner& filter, const Reader& reader, FilterStageOptions options);
    // Filters only from this frame number on. Earlier frames pass for their times alone, without
    // pixels, except those that steps in time must remember.
    void begin_at(std::int64_t frame);
    void run(MediaQueue& in, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    // Filters one frame, and composes it with its original if requested. The thread must have
    // called use_device(), and run() must not be active.
    Frame filter(Frame frame);
    // Counts the frames that run() has taken, also those that were filtered by an earlier run.
    const BoxCounts& box_counts() const { return box_counts_; }

 private:
    // An item in transit is a packet, or a frame that is being filtered.
    struct Passing {
        MediaItem item;  // the filtered frame
        Frame original;  // empty once its pixels are no longer needed
        bool in_flight() const { return std::holds_alternative<Frame>(item); }
    };

    void pass(MediaQueue& in, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    bool accept(MediaItem item, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    bool forward(MediaItem item, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    bool deliver(MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    Passing& append(Passing passing);
    AVFramePtr new_result(const AVFrame& like);
    void submit(Frame frame);
    MediaItem take_oldest();
    void abandon() noexcept;
    AVFramePtr composed(const Frame& original, const AVFrame& filtered);
    void release();
    FramePlace place_of(const Frame& frame) const;
    Error at(const Frame& frame, const Error& error) const;

    StackRunner* filter_;
    FrameMemory own_results_;
    FrameMemory* results_;
    std::list<Passing> passing_;
    std::list<Passing> spare_;  // nodes of delivered items, for reuse
    std::size_t in_flight_ = 0;
    FormatKeeper keeper_;
    std::int64_t first_filtered_ = 0;
    AVRational time_base_;
    std::int64_t begin_pts_;  // the file's begin on the clock of -ss
    std::int64_t frames_before_start_;
    FilterStageOptions options_;
    BoxCounts box_counts_;
    bool releases_;
};

// Writes all items, and after each frame updates the result and calls `progress`; both outlive it.
class EncodeStage {
 public:
    // If `writer` is null, nothing is written.
    EncodeStage(Writer* writer, const Reader& reader, FileResult& result,
                const ProgressCallback& progress);
    void run(MediaQueue& in, StageClock& clock, const std::stop_token& stop);

 private:
    void write(SourcePacket packet, StageClock& clock);
    void write(Frame frame, StageClock& clock);

    Writer* writer_;
    FileResult* result_;
    const ProgressCallback* progress_;
    double tick_;
    std::int64_t first_pts_;
    std::int64_t estimated_;
    std::int64_t stored_;
};

}  // namespace weft
