#include "app/pipeline/stack/step_graphs.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace weft {
namespace {

bool has_bit(unsigned bits, std::size_t plane) {
    return (bits >> plane & 1U) != 0;
}

// The steps that read or write planes of the kind. Steps read only planes that they also write.
// The first step that moves a plane reads its source; the last one and those after it write its
// target.
std::vector<bool> steps_on(const FrameKind& kind, const StackPlan& plan) {
    std::vector<bool> touched(plan.steps.size());
    for (std::size_t p = 0; p < plan.info.planes.size(); ++p) {
        std::optional<std::size_t> first, last;
        for (std::size_t s = 0; s < plan.steps.size(); ++s) {
            if (!plan.moves(s, p)) continue;
            first = first.value_or(s);
            last = s;
        }
        if (!first) continue;
        if (has_bit(kind.source, p)) touched[*first] = true;
        for (std::size_t s = *last; s < plan.steps.size(); ++s)
            if (has_bit(kind.target, p) && plan.steps[s].writes(p)) touched[s] = true;
    }
    return touched;
}

// A segment of one step. Its first launches are not recorded: they load the kernels.
StepSegment segment_of(const StackPlan& plan, std::size_t step, std::size_t flights) {
    const auto before = static_cast<std::size_t>(plan.steps[step].frames_before());
    return {step, step + 1, std::lcm(flights, std::max<std::size_t>(before, 1)), before + 1};
}

// Returns whether it could be extended.
bool extend(StepSegment& segment, const StepSegment& by) {
    const bool recorded = segment.cycle != 0;
    if (recorded != (by.cycle != 0)) return false;
    const std::size_t cycle = recorded ? std::lcm(segment.cycle, by.cycle) : 0;
    if (cycle > kMostGraphs) return false;
    segment = {segment.first, by.last, cycle, std::max(segment.settled, by.settled)};
    return true;
}

}  // namespace

unsigned planes_on_device(std::span<const ImageView> planes) {
    unsigned bits = 0;
    for (std::size_t p = 0; p < planes.size(); ++p)
        if (planes[p].space == MemorySpace::device) bits |= 1U << p;
    return bits;
}

std::vector<StepSegment> segments_of(const StackPlan& plan, const FrameKind& kind,
                                     std::size_t flights) {
    const std::vector<bool> touched = steps_on(kind, plan);
    std::vector<StepSegment> segments;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        StepSegment one = segment_of(plan, s, flights);
        const std::optional<RegionPlan>& region = plan.steps[s].region;
        const bool changes = region && region->changes();
        if (touched[s] || changes || one.cycle > kMostGraphs) one.cycle = one.settled = 0;
        if (segments.empty() || !extend(segments.back(), one)) segments.push_back(one);
    }
    return segments;
}

std::span<const StepSegment> StepGraphs::begin_frame(const FrameKind& kind) {
    as_before_ = kind_ == kind;
    if (as_before_) return segments_;
    kind_ = kind;
    segments_ = segments_of(*plan_, kind, flights_);
    graphs_.clear();
    for (const StepSegment& segment : segments_) graphs_.emplace_back(segment.cycle);
    return segments_;
}

bool StepGraphs::replay(std::size_t number, std::size_t past, StreamView stream,
                        const std::function<void()>& enqueue) {
    const StepSegment& segment = segments_[number];
    if (impossible_ || !as_before_ || segment.cycle == 0 || past < segment.settled) return false;
    std::optional<LaunchGraph>& graph = graphs_[number][past % segment.cycle];
    try {
        if (!graph) graph.emplace(stream, enqueue);
        graph->replay(stream);
    } catch (const std::runtime_error&) {
        impossible_ = true;
        graphs_.clear();
        return false;
    }
    return true;
}

}  // namespace weft
