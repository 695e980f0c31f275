#include "app/pipeline/stack/step_graphs.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace weft {
namespace {

bool has_bit(unsigned bits, std::size_t plane) {
    return (bits >> plane & 1U) != 0;
}

class LentSteps {
 public:
    LentSteps(const ChainPlan& plan, const LentPlanes& lent)
        : plan_(&plan), touched_(plan.steps.size()) {
        for (std::size_t p = 0; p < plan.info.planes.size(); ++p) {
            if (has_bit(lent.source, p)) touch(first_writer(p));
            if (has_bit(lent.target, p)) touch(last_writer(p));
        }
    }
    bool operator[](std::size_t step) const { return touched_[step]; }

 private:
    // Steps read only planes that they also write.
    std::size_t first_writer(std::size_t plane) const {
        std::size_t s = 0;
        while (s < touched_.size() && !plan_->steps[s].lowered.writes(plane)) ++s;
        return s;
    }
    std::size_t last_writer(std::size_t plane) const {
        std::size_t s = touched_.size();
        while (s > 0 && !plan_->steps[s - 1].lowered.writes(plane)) --s;
        return s > 0 ? s - 1 : touched_.size();
    }
    void touch(std::size_t step) {
        if (step < touched_.size()) touched_[step] = true;
    }

    const ChainPlan* plan_;
    std::vector<bool> touched_;
};

// A stretch of one step. Its first launches are not recorded: they load the kernels.
Stretch stretch_of(const ChainPlan& plan, std::size_t step, std::size_t flights) {
    const auto before = static_cast<std::size_t>(plan.steps[step].frames_before());
    return {step, step + 1, std::lcm(flights, std::max<std::size_t>(before, 1)), before + 1};
}

// Returns whether it could be extended.
bool extend(Stretch& stretch, const Stretch& by) {
    const bool recorded = stretch.cycle != 0;
    if (recorded != (by.cycle != 0)) return false;
    const std::size_t cycle = recorded ? std::lcm(stretch.cycle, by.cycle) : 0;
    if (cycle > kMostGraphs) return false;
    stretch = {stretch.first, by.last, cycle, std::max(stretch.settled, by.settled)};
    return true;
}

}  // namespace

unsigned planes_on_device(std::span<const ImageView> planes) {
    unsigned bits = 0;
    for (std::size_t p = 0; p < planes.size(); ++p)
        if (planes[p].space == MemorySpace::device) bits |= 1U << p;
    return bits;
}

std::vector<Stretch> stretches_of(const ChainPlan& plan, const LentPlanes& lent,
                                  std::size_t flights) {
    const LentSteps touched(plan, lent);
    std::vector<Stretch> stretches;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        Stretch one = stretch_of(plan, s, flights);
        if (touched[s] || one.cycle > kMostGraphs) one.cycle = one.settled = 0;
        if (stretches.empty() || !extend(stretches.back(), one)) stretches.push_back(one);
    }
    return stretches;
}

std::span<const Stretch> StepGraphs::begin_frame(const LentPlanes& lent) {
    as_before_ = lent_ == lent;
    if (as_before_) return stretches_;
    lent_ = lent;
    stretches_ = stretches_of(*plan_, lent, flights_);
    graphs_.clear();
    for (const Stretch& stretch : stretches_) graphs_.emplace_back(stretch.cycle);
    return stretches_;
}

bool StepGraphs::replay(std::size_t number, std::size_t past, StreamView stream,
                        const std::function<void()>& enqueue) {
    const Stretch& stretch = stretches_[number];
    if (impossible_ || !as_before_ || stretch.cycle == 0 || past < stretch.settled) return false;
    std::optional<LaunchGraph>& graph = graphs_[number][past % stretch.cycle];
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
