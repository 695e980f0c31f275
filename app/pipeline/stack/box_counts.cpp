#include "app/pipeline/stack/box_counts.h"

#include <set>

#include <fmt/format.h>

namespace weft {
namespace {

std::set<std::int64_t> ids_at(const BoxTracks& boxes, const FramePlace& place, Gap gap) {
    std::set<std::int64_t> ids;
    for (const ObjectBox& box : boxes.at(place, gap)) ids.insert(box.id);
    return ids;
}

std::string_view name_of(Gap gap) {
    switch (gap) {
        case Gap::interpolate:
            return "interpolate";
        case Gap::hold:
            return "hold";
        case Gap::off:
            return "off";
    }
    return "";
}

}  // namespace

BoxCounts::BoxCounts(const StackPlan& plan) {
    for (const StepPlan& step : plan.steps) {
        if (!step.region || !step.region->where.moving) continue;
        Step counted{.filter = step.filter, .regions = step.region->where.moving, .objects = {}};
        for (const TrackFacts& facts : counted.regions->boxes.facts()) counted.objects[facts.id];
        steps_.push_back(std::move(counted));
    }
}

void BoxCounts::add(const FramePlace& place) {
    ++frames_;
    for (Step& step : steps_) {
        const BoxTracks& boxes = step.regions->boxes;
        const std::set<std::int64_t> own = ids_at(boxes, place, Gap::off);
        for (const std::int64_t id : own) ++step.objects[id].own;
        for (const std::int64_t id : ids_at(boxes, place, step.regions->gap))
            if (!own.contains(id)) ++step.objects[id].held;
    }
}

std::vector<std::string> BoxCounts::sentences() const {
    std::vector<std::string> all;
    for (const Step& step : steps_)
        for (const auto& [id, frames] : step.objects) {
            const std::string name =
                id == kNoId ? "boxes without an id" : fmt::format("box {}", id);
            const std::string held = step.regions->gap == Gap::off
                                         ? ""
                                         : fmt::format(", {} have one by gap={}", frames.held,
                                                       name_of(step.regions->gap));
            all.push_back(fmt::format(
                "{}: {}: {} of {} frames have a box of their own{}, {} have none", step.filter,
                name, frames.own, frames_, held, frames_ - frames.own - frames.held));
        }
    return all;
}

}  // namespace weft
