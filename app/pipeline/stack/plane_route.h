// Which buffers the steps of a frame read and write.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "app/pipeline/stack/stack_plan.h"
#include "kernels/device/image_buffer.h"
#include "kernels/image_view.h"

namespace weft {

// Here a plane's writers are the steps that move it (StackPlan::moves()).
//
// The first writer of a plane reads the frame's source, the last one writes the frame's target, and
// between them two scratch buffers alternate, however many steps there are. On the CPU the target
// is one of these; on a GPU it is not, so that the steps between touch no buffer of the frame's
// own.
class PlaneRoute {
 public:
    // Allocates the scratch buffers on the plan's device, which must be current. The plan must
    // outlive this. Throws CudaError or std::bad_alloc.
    explicit PlaneRoute(const StackPlan& plan);

    // The frame's planes without pixels, in the memory of the plan's device.
    std::span<const ImageView> shapes() const { return shapes_; }
    bool writes(std::size_t plane) const { return writers_[plane] > 0; }
    // The source is not read after this many steps.
    std::size_t steps_that_read_source() const { return reading_steps_; }

    // Makes in() and out() refer to a frame with these planes.
    void bind(std::span<const ImageView> source, std::span<const ImageView> target);
    // All planes before and after `step`; a plane that it does not move has the same view in both.
    std::span<const ImageView> in(std::size_t step) const { return row(step); }
    std::span<const ImageView> out(std::size_t step) const { return row(step + 1); }

 private:
    struct Scratch {
        ImageBuffer even, odd;
    };

    std::span<const ImageView> row(std::size_t step) const;
    void count_writers();
    void allocate();
    // The output of a plane's writer if `left` writers remain, including itself.
    ImageView buffer(std::size_t plane, std::size_t left, const ImageView& target) const;

    const StackPlan* plan_;
    std::vector<ImageView> shapes_;
    std::vector<bool> moves_;           // the plan's, per plane of each step
    std::vector<std::size_t> writers_;  // per plane
    std::size_t reading_steps_ = 0;
    std::vector<Scratch> scratch_;   // per plane
    std::vector<ImageView> views_;   // one row of planes before each step, and one after the last
    std::vector<std::size_t> left_;  // remaining writers per plane
};

}  // namespace weft
