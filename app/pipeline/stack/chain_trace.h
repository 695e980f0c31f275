// A chain's work on each frame, on a timeline: one row per stream on the GPU, one row on the CPU.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/pipeline/report/stage_timer.h"
#include "app/pipeline/report/trace.h"
#include "app/pipeline/stack/chain_plan.h"
#include "app/pipeline/stack/gpu_transfer.h"

namespace weft {

// Frames use the chain's flights in rotation: on a GPU each flight has its own stream.
class ChainTrace {
 public:
    // `label` is prepended to the rows' names. Uses the plan's device, which must be current.
    // Throws CudaError.
    ChainTrace(const FileTrace& file, const ChainPlan& plan, std::size_t flights,
               const std::string& label);

    // Adds the next frame, which has just been finished: its steps' timers and its transfers to and
    // from the GPU, null on the CPU. Throws CudaError.
    void add(std::span<const StageTimer> timers, const GpuTransfer* gpu);

 private:
    void add(const TraceRow& row, std::string_view name, const StageTimer& timer) const;

    std::optional<GpuAnchor> anchor_;
    std::vector<TraceRow> rows_;           // one per flight
    std::vector<std::string_view> names_;  // of the steps
    std::int64_t frame_ = 0;
};

}  // namespace weft
