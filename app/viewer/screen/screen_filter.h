// Applies the displayed stacks to one frame after another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/stack/stack_runner.h"
#include "app/viewer/play/player.h"
#include "app/viewer/play/stage_times.h"
#include "app/viewer/race/live_race.h"
#include "app/viewer/screen/picture.h"
#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/screen/stack_request.h"
#include "kernels/device/stream.h"

namespace weft {

// The result of planning and running a step, for the panels.
struct StepNote {
    std::string filter;
    std::string kernels;  // by name: "tensor_int8 + column_row_reuse"
    std::string reason;
    std::vector<std::string> notes;
    double seconds = 0;  // for the last frame, kernels only
};

struct WorkerStatus {
    std::string error;  // why the stack cannot process such frames, or the failure; else empty
    std::vector<std::vector<StepNote>> stacks;
    double upload_seconds = 0;  // for the last frame; 0 on the CPU
    double filter_seconds = 0;  // wall time for the last frame, all stacks
    std::uint64_t revision = 0;
};

// Prepares filters and memory for the first frame, and again when the frame format or the stacks
// change. For one thread, which must have made the device current. Blocks: the pictures of a
// returned frame are complete, so other streams and threads need not wait for them.
class ScreenFilter {
 public:
    // `race` and `times` observe the filtering and must outlive it. May be null.
    explicit ScreenFilter(Device device, LiveRace* race = nullptr, StageTimes* times = nullptr)
        : device_(std::move(device)), race_(race), times_(times) {}

    void set_stacks(std::vector<StackRequest> stacks);
    // Number of frames before `played` that temporal steps need because their history does not lead
    // up to it. 0 between frames of one serial: dropped frames are skipped. `rotation_degrees` as
    // in FrameInfo. Throws like filter().
    int earlier_frames_needed(const PlayedFrame& played, int rotation_degrees);
    // `past` holds these frames, oldest first; fewer at the beginning of the file. Throws
    // FilterError or Error if the stack cannot process such frames; use unfiltered() then.
    ShownFrame filter(const PlayedFrame& played, int rotation_degrees,
                      const EarlierFrames& past = {});
    ShownFrame unfiltered(const PlayedFrame& played, int rotation_degrees);

    // The status after the last frame.
    WorkerStatus status() const;

 private:
    // State for frames of one format.
    struct Format {
        FrameInfo info;
        PicturePool originals;
        PicturePool results;
        std::vector<ImageBuffer> pinned;  // on a GPU: staging for `originals`
        std::unique_ptr<Stream> stream;

        Format(FrameInfo of, const Device& device);
    };
    void match_format(const PlayedFrame& played, int rotation_degrees);
    void match_stacks(const PlayedFrame& played);
    ShownFrame frame_of(const PlayedFrame& played, int rotation_degrees);
    Picture upload(std::span<const ImageView> planes);
    Picture original_of(const std::shared_ptr<const Frame>& frame);
    Picture run(StackRunner& filters, const Picture& original, const FramePlace& place);
    void remember(const PlayedFrame& played, const EarlierFrames& past);

    void race_on_stacks();
    void note_times() const;

    Device device_;
    LiveRace* race_;
    StageTimes* times_;
    std::vector<StackRequest> stacks_;
    std::optional<Format> format_;
    std::vector<std::unique_ptr<StackRunner>> filters_;  // null for empty stacks
    bool planned_ = false;
    std::optional<std::uint64_t> serial_;  // the last one seen by the filters
    bool remembering_ = false;             // the output is not shown
    double upload_seconds_ = 0;
    double filter_seconds_ = 0;
};

}  // namespace weft
