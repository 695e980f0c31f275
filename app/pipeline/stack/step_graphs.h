// The steps of a frame as CUDA graphs, so that the time to launch a stack does not grow with the
// number of steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/pipeline/stack/stack_plan.h"
#include "kernels/device/device.h"
#include "kernels/device/launch_graph.h"
#include "kernels/image_view.h"

namespace weft {

// The launches of two frames differ by their places in the cycles and by these bits. One set marks
// the planes that are in buffers of the caller, because the next frame may have other buffers (the
// runner's own are the same whenever a flight is reused). The other marks the steps that pass this
// frame as it is.
struct FrameKind {
    unsigned source = 0;
    unsigned target = 0;
    std::uint64_t passing = 0;
    bool operator==(const FrameKind&) const = default;
};

// The planes of a frame that a GPU uses in place: one bit each.
unsigned planes_on_device(std::span<const ImageView> planes);

// Steps from `first` to before `last`. If `cycle` is not 0, the launches for a frame with at least
// `settled` frames before it are the same again `cycle` frames later.
struct StepSegment {
    std::size_t first = 0, last = 0;
    std::size_t cycle = 0;
    std::size_t settled = 0;
    bool operator==(const StepSegment&) const = default;
};

// Limit per segment: more would take longer to record than they save, and memory.
constexpr std::size_t kMostGraphs = 32;

// All steps of the plan, split where a step touches planes of the caller or its regions move, or
// where the common cycle of histories and flights would be too long: such steps have no cycle.
// `flights` is the number of sets of buffers and timers that frames use in rotation.
std::vector<StepSegment> segments_of(const StackPlan& plan, const FrameKind& kind,
                                     std::size_t flights);

// A graph of each segment for each frame of its cycle. A graph holds pointers; here the frame's
// number and the frame's kind determine all of them, so no other lookup is needed. With pools of
// tens of buffers, as decoders have, no two consecutive frames use the same pair: only the steps at
// either end of a stack touch those, and they are launched as usual.
//
// If recording fails, all further frames use ordinary launches.
class StepGraphs {
 public:
    // The plan must outlive this object.
    StepGraphs(const StackPlan& plan, std::size_t flights) : plan_(&plan), flights_(flights) {}

    // The segments of the next frame, valid until the next call. When `kind` changes, they change
    // too, and all graphs are recorded again.
    std::span<const StepSegment> begin_frame(const FrameKind& kind);

    // Enqueues the steps of begin_frame()'s segment `number` on the stream, for a frame with `past`
    // frames before it; `enqueue` does the same by ordinary launches, and is called here to record
    // a graph. False: nothing was enqueued, and the caller must call `enqueue`, which also reports
    // the error if the GPU has failed.
    bool replay(std::size_t number, std::size_t past, StreamView stream,
                const std::function<void()>& enqueue);

 private:
    const StackPlan* plan_;
    std::size_t flights_;
    std::optional<FrameKind> kind_;  // the last frame's
    bool as_before_ = false;         // unchanged in this frame
    bool impossible_ = false;
    std::vector<StepSegment> segments_;
    std::vector<std::vector<std::optional<LaunchGraph>>> graphs_;  // [segment][past % cycle]
};

}  // namespace weft
