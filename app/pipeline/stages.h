// The three stages of the pipeline and what runs between them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <stop_token>
#include <string>

#include "app/media/frame_memory.h"
#include "app/media/gpu_encoder.h"
#include "app/media/reader.h"
#include "app/media/writer.h"
#include "app/pipeline/bounded_queue.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/format_keeper.h"
#include "app/pipeline/frame_filter.h"
#include "app/pipeline/stage_clock.h"

namespace weft {

using MediaQueue = BoundedQueue<MediaItem>;

// What an item weighs in a queue, in bytes.
std::size_t weight_of(const MediaItem& item);

// Room for four frames, or 64 MiB where that is less, so that a queue of giant frames holds one.
std::size_t queue_capacity(const Frame& frame);

// Where the times of reading go.
struct ReadTimes {
    Durations& frames;  // what each frame took, the packets before it included
    StageClock& clock;
};

// Frames and packets of the input, to the end. Returns the frames delivered.
std::int64_t read_stage(Reader& reader, MediaQueue& out, ReadTimes times,
                        const std::stop_token& stop);

// What is written of each frame: see FileJob::compose.
struct Composition {
    FrameComposer compose = {};
    FrameFilter* compared = nullptr;  // null: the frame as it came in is composed with
};

// What the filter stage is told of the file.
struct FilterStageOptions {
    std::string path;  // for messages
    OnChange on_change = OnChange::fail;
    Composition composition = {};
    // Where an encoder wants the results, which are then not composed; null: on the host.
    std::shared_ptr<EncoderSurfaces> surfaces = {};
};

// Filters the frames, all in the first one's format, and passes the packets on. Errors name the
// input and the time.
class FilterStage {
 public:
    // Of a reader that has not delivered its first frame. The filters must outlive this.
    FilterStage(FrameFilter& filter, const Reader& reader, FilterStageOptions options);
    // Only the times of frames before this one are wanted: they pass without their pixels, but for
    // those that steps in time remember.
    void begin_at(std::int64_t frame);
    void run(MediaQueue& in, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    // One frame, composed with its original if that is wanted, on a thread that has called
    // use_device(), while run() does not.
    Frame filter(Frame frame);

 private:
    // An item on its way through: a packet, or a frame that is being filtered.
    struct Passing {
        MediaItem item;  // the filtered frame
        Frame original;  // empty when its pixels are not needed any more
        bool in_flight() const { return std::holds_alternative<Frame>(item); }
    };

    void pass(MediaQueue& in, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    bool accept(MediaItem item, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    bool hand_on(MediaItem item, MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    bool deliver(MediaQueue& out, StageClock& clock, const std::stop_token& stop);
    Passing& append(Passing passing);
    AVFramePtr new_result(const AVFrame& like);
    void submit(Frame frame);
    MediaItem take_oldest();
    void abandon() noexcept;
    AVFramePtr composed(const AVFrame& original, const AVFrame& filtered);
    void release();
    Error at(const Frame& frame, const Error& error) const;

    FrameFilter* filter_;
    FrameMemory results_;
    std::shared_ptr<EncoderSurfaces> surfaces_;
    std::list<Passing> passing_;
    std::list<Passing> spare_;  // places of items that are gone, to be used again
    std::size_t in_flight_ = 0;
    FormatKeeper keeper_;
    std::int64_t first_filtered_ = 0;
    AVRational time_base_;
    std::string path_;
    Composition composition_;
    bool still_;
};

}  // namespace weft
