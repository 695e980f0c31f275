#include "app/pipeline/stack/chain_trace.h"

#include <fmt/format.h>

namespace weft {

ChainTrace::ChainTrace(const FileTrace& file, const ChainPlan& plan, std::size_t flights,
                       const std::string& label) {
    for (const StepPlan& step : plan.steps)
        names_.push_back(file.keep(fmt::format("{} ({})", step.filter, step.kernel_names())));
    if (!plan.device.is_gpu()) {
        rows_.push_back(file.row(label + "kernels"));
        return;
    }
    for (std::size_t k = 0; k < flights; ++k)
        rows_.push_back(file.row(fmt::format("{}GPU stream {}", label, k)));
    anchor_.emplace();
}

void ChainTrace::add(const TraceRow& row, std::string_view name, const StageTimer& timer) const {
    const TraceTime begin = timer.started(anchor_ ? &*anchor_ : nullptr);
    const std::chrono::duration<double> length(timer.seconds());
    row.add({name, frame_, begin, begin + std::chrono::duration_cast<TraceTime::duration>(length)});
}

void ChainTrace::add(std::span<const StageTimer> timers, const GpuTransfer* gpu) {
    const TraceRow& row = rows_[static_cast<std::size_t>(frame_) % rows_.size()];
    if (gpu != nullptr && gpu->uploading() != nullptr) add(row, "upload", *gpu->uploading());
    for (std::size_t s = 0; s < timers.size(); ++s) add(row, names_[s], timers[s]);
    if (gpu != nullptr && gpu->downloading() != nullptr) add(row, "download", *gpu->downloading());
    ++frame_;
    if (anchor_) anchor_->renew();
}

}  // namespace weft
