// The steps of a frame as CUDA graphs, so that the time to launch a stack does not grow with its
// steps.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/pipeline/chain_plan.h"
#include "kernels/device.h"
#include "kernels/image_view.h"
#include "kernels/launch_graph.h"

namespace weft {

// Planes of a frame, a bit each, that lie in buffers of the caller: those of the next frame may be
// others. The chain's own buffers are the same whenever a flight's turn comes.
struct LentPlanes {
    unsigned source = 0;
    unsigned target = 0;
    bool operator==(const LentPlanes&) const = default;
};

// Those of a frame that a GPU takes where they are: a bit each.
unsigned planes_on_device(std::span<const ImageView> planes);

// Steps from `first` to before `last`. Where `cycle` is not 0, what they launch for a frame that
// has `settled` or more frames before it is the same again `cycle` frames later.
struct Stretch {
    std::size_t first = 0, last = 0;
    std::size_t cycle = 0;
    std::size_t settled = 0;
    bool operator==(const Stretch&) const = default;
};

// Graphs of one stretch: more would take longer to make than they save, and memory.
constexpr std::size_t kMostGraphs = 32;

// All steps of the plan, cut where a step touches lent planes, or where histories and flights would
// come together again too late: such steps have no cycle. `flights` are the sets of buffers and
// timers that frames take in turn.
std::vector<Stretch> stretches_of(const ChainPlan& plan, const LentPlanes& lent,
                                  std::size_t flights);

// A graph of each stretch for each frame of its cycle. A graph holds pointers; here the frame's
// number and what is lent say all of them, so there is nothing else to look up. Of pools with tens
// of buffers, as decoders have, no two frames in a row meet the same pair: only the steps at either
// end of a stack touch those, and they are launched as ever.
//
// What cannot be recorded makes all further frames take ordinary launches.
class StepGraphs {
 public:
    // The plan must outlive this.
    StepGraphs(const ChainPlan& plan, std::size_t flights) : plan_(&plan), flights_(flights) {}

    // The stretches of the next frame, valid until the call for the one after it. When `lent`
    // changes, they do too, and all graphs are made anew.
    std::span<const Stretch> begin_frame(const LentPlanes& lent);

    // Puts the steps of begin_frame()'s stretch `number` on the stream, for a frame with `past`
    // frames before it; `enqueue` does the same by ordinary launches, and is called here where a
    // graph has to be recorded. False: nothing was put on the stream, and `enqueue` has to be
    // called instead, which tells too if the GPU has failed altogether.
    bool replay(std::size_t number, std::size_t past, StreamView stream,
                const std::function<void()>& enqueue);

 private:
    const ChainPlan* plan_;
    std::size_t flights_;
    std::optional<LentPlanes> lent_;  // of the last frame
    bool as_before_ = false;          // this frame's is the same
    bool impossible_ = false;
    std::vector<Stretch> stretches_;
    std::vector<std::vector<std::optional<LaunchGraph>>> graphs_;  // [stretch][past % cycle]
};

}  // namespace weft
