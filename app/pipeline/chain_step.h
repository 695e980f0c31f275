// One step of a chain, ready to run: prepared kernels, earlier frames, the gray detour.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/pipeline/chain_plan.h"
#include "kernels/image_buffer.h"
#include "kernels/image_view.h"

namespace weft {

// The last frames of one plane, for steps in time. Slots are allocated once and taken in turn;
// `past` is how many frames came before the one at hand.
class PlaneHistory {
 public:
    // Room for `count` frames, the newest of which is always the one at hand.
    PlaneHistory(std::size_t count, const ImageView& like);

    // The newest `count` frames, `current` first; before the start of the stream stands its first
    // frame. Valid until the next call.
    std::span<const ImageView> frames(const ImageView& current, std::size_t past);
    // Copies `current` for the frames to come.
    void remember(const ImageView& current, std::size_t past, StreamView stream);

 private:
    std::vector<ImageBuffer> slots_;
    std::vector<ImageView> frames_;
};

// What one step does to one plane.
class PlaneRunner {
 public:
    // `like` has the plane's shape and memory space. `work` must outlive this.
    PlaneRunner(const PlaneWork& work, const Plan& plan, const ImageView& like,
                const Device& device);
    // Writes every pixel of `out`. Returns the launches. The images must not overlap.
    int run(const ImageView& in, const ImageView& out, std::size_t past, StreamView stream);

 private:
    int blend(const ImageView& in, const ImageView& out, std::size_t past, StreamView stream);
    int fill(const ImageView& in, const ImageView& out, StreamView stream) const;

    const PlaneWork* work_;
    std::unique_ptr<PreparedConv> conv_;
    std::unique_ptr<PlaneHistory> history_;
};

// Whatever it launches depends on the images, and on `past`, the frames run before this one: in
// the first StepPlan::frames_before() frames on their number, later on its remainder by that.
class ChainStep {
 public:
    // `planes` have the frame's shapes and memory space. `plan` must outlive this.
    ChainStep(const StepPlan& plan, std::span<const ImageView> planes, const Device& device);

    bool writes(std::size_t plane) const { return plan_->lowered.writes(plane); }
    // Reads `in`, writes the planes of `out` that writes() names. Returns the launches.
    int run(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
            StreamView stream);
    // What the convolutions of the last run() have read, where `in` is what it was given: an image
    // for each entry of the plan's plans.
    std::vector<ImageView> conv_sources(std::span<const ImageView> in) const;

 private:
    int run_gray(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
                 StreamView stream);
    ImageView gray_source(std::span<const ImageView> in) const;
    int make_gray_source(std::span<const ImageView> in, StreamView stream) const;

    const StepPlan* plan_;
    std::vector<PlaneRunner> runners_;  // one per plane, or the gray picture's
    // Of the gray detour: luma, or r, g and b that lie apart; and the result.
    ImageBuffer gray_in_, gray_out_;
};

}  // namespace weft
