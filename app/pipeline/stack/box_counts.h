// Counts the frames of a run in which the objects of moving regions have a box.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/pipeline/stack/stack_plan.h"
#include "filters/where.h"

namespace weft {

// Counts, for every object of a step with boxes, the frames that have a box of its own in the file,
// those for which `gap` gives one, and those without any.
class BoxCounts {
 public:
    explicit BoxCounts(const StackPlan& plan);

    void add(const FramePlace& place);

    // One for each object, by step and by id: "fill: box 7: 90 of 120 frames have a box of their
    // own, 10 have one by gap=interpolate, 20 have none". Empty if no step has boxes.
    std::vector<std::string> sentences() const;

 private:
    struct Frames {
        std::int64_t own = 0;
        std::int64_t held = 0;  // by `gap`
    };
    struct Step {
        std::string filter;
        std::shared_ptr<const MovingRegions> regions;
        std::map<std::int64_t, Frames> objects;  // by id
    };

    std::vector<Step> steps_;
    std::int64_t frames_ = 0;
};

}  // namespace weft
