// What a chain does with each frame, on a timeline: on the GPU a row a stream, on the CPU one row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/pipeline/chain_plan.h"
#include "app/pipeline/gpu_transfer.h"
#include "app/pipeline/stage_timer.h"
#include "app/pipeline/trace.h"

namespace weft {

// Frames of a chain in turn take its flights: on a GPU each has a stream of its own.
class ChainTrace {
 public:
    // `label` goes before the rows' names. On the plan's device, which must be current. Throws
    // CudaError.
    ChainTrace(const FileTrace& file, const ChainPlan& plan, std::size_t flights,
               const std::string& label);

    // The next frame, which has just been finished: its steps' timers, and its way to the GPU and
    // back, null on the CPU. Throws CudaError.
    void add(std::span<const StageTimer> timers, const GpuTransfer* gpu);

 private:
    void add(const TraceRow& row, std::string_view name, const StageTimer& timer) const;

    std::optional<GpuAnchor> anchor_;
    std::vector<TraceRow> rows_;           // one per flight
    std::vector<std::string_view> names_;  // of the steps
    std::int64_t frame_ = 0;
};

}  // namespace weft
