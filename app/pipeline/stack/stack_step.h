// One step of a stack, ready to run: prepared kernels, earlier frames, the conversion to gray.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/pipeline/stack/mask_source.h"
#include "app/pipeline/stack/stack_plan.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream_fork.h"
#include "kernels/image_view.h"
#include "kernels/pixels/pixel_ops.h"
#include "kernels/pixels/sample_means.h"

namespace weft {

// The last frames of one plane, for steps in time. Slots are allocated once and used in rotation;
// `past` is the number of frames before the current one.
class PlaneHistory {
 public:
    // Room for `count` frames, including the current one, which is always the newest.
    PlaneHistory(std::size_t count, const ImageView& like);

    // The newest `count` frames, `current` first; the first frame of the stream stands for frames
    // before its start. Valid until the next call.
    std::span<const ImageView> frames(const ImageView& current, std::size_t past);
    // Copies `current` for later frames.
    void remember(const ImageView& current, std::size_t past, StreamView stream);

 private:
    std::vector<ImageBuffer> slots_;
    std::vector<ImageView> frames_;
};

// The work of one step on one plane.
class PlaneRunner {
 public:
    // `like` has the plane's shape and memory space. `work` must outlive this.
    PlaneRunner(const PlaneWork& work, const Plan& plan, const ImageView& like,
                const Device& device);
    // Writes every pixel of `out`. Returns the number of launches. The images must not overlap.
    int run(const ImageView& in, const ImageView& out, std::size_t past, StreamView stream);
    // For a frame that the step passes as it is: remembers it for later ones.
    void pass(const ImageView& in, std::size_t past, StreamView stream);
    bool remembers() const { return history_ != nullptr; }

 private:
    int blend(const ImageView& in, const ImageView& out, std::size_t past, StreamView stream);
    int fill(const ImageView& in, const ImageView& out, StreamView stream) const;

    const PlaneWork* work_;
    std::unique_ptr<PreparedConv> conv_;
    std::unique_ptr<PlaneHistory> history_;
};

// The regions of a step on one frame format. They are filtered as crops, or as pictures of several
// crops, of which parts are mixed into the frame.
class StepRegions {
 public:
    // `planes` are the picture's, of which `written` are filtered. The plan must outlive this, and
    // so must `lowered`, whose means are taken here.
    StepRegions(const RegionPlan& plan, const LoweredStep& lowered,
                std::span<const ImageView> planes, std::vector<std::size_t> written);

    // Computes the weights of a frame, from its regions or from the frame's mask, and allocates in
    // the memory of the planes what no call before has. Does nothing if neither changes.
    void set(const FramePlace& place, MaskSource* mask, StreamView stream);
    // The next frame has another mask, even if that has the same number.
    void forget_mask() { mask_number_.reset(); }

    std::size_t pictures() const { return pictures_; }
    // Copies the crops of a picture together, unless it is a single one. Returns the number of
    // launches.
    int gather(std::size_t number, std::span<const ImageView> frame, StreamView stream);
    // The planes of the picture that was gathered last, or in the frame; valid until the next call.
    // Planes that are not written are the frame's.
    std::span<const ImageView> source(std::size_t number, std::span<const ImageView> frame);
    // The places for its result, which have no pixels for planes that are not written.
    std::span<const ImageView> result(std::size_t number) const { return results_[number]; }
    // Where the planes of the last source() are in the frame, if it was a single crop.
    std::span<const PixelRect> places() const { return places_; }
    // Writes the means of all regions to the results. Returns the number of launches.
    int take_means(std::span<const ImageView> frame, StreamView stream);
    // Mixes all results into the frame. Returns the number of launches.
    int mix(std::span<const ImageView> frame, StreamView stream);

 private:
    struct Part {
        std::size_t plane = 0;
        std::size_t region = 0;
        PixelRect samples;
        PixelRect crop;
        ImageView filtered;  // the same samples in a result
        ImageView weights;   // on the host until they are copied; without data: all are full
        MeanPart means;      // of a step that takes them, without images but for the selected edge
    };

    // The places whose weights are set: a frame's regions, or its mask.
    struct Places {
        std::span<const RegionRect> regions;
        std::span<const std::uint16_t> mask;
    };

    void set(const Places& places, StreamView stream);
    void add_plane(const Places& places, std::size_t plane, StreamView stream);
    // The means that the region of this number gets.
    MeanPart means_of(std::span<const RegionRect> regions, std::size_t region,
                      const PixelRect& samples, std::size_t plane, StreamView stream);
    ImageView select_edge(std::span<const RegionRect> regions, const PixelRect& samples,
                          std::size_t plane, StreamView stream);
    // Copies what the host has computed for parts_.size() into the memory of the planes.
    ImageView uploaded(std::vector<ImageBuffer>& rooms, const ImageView& computed,
                       StreamView stream);
    void set_weights(const Places& places, StreamView stream);
    void compute_weights(const Part& part, const Places& places) const;
    bool is_full(const Part& part) const;
    ImageView buffer_for(std::size_t plane);
    int slot_of(std::size_t region) const;
    void copy_crop(const Part& part, const ImageView& frame);

    const RegionPlan* plan_;
    const LoweredStep* lowered_;
    std::vector<ImageView> planes_;
    std::vector<std::size_t> written_;
    std::size_t pictures_ = 0;
    std::vector<PixelRect> places_;
    std::vector<ImageView> gathered_;              // the planes of several crops
    std::vector<std::vector<ImageView>> results_;  // more than pictures_ once there were more
    std::vector<ImageBuffer> buffers_;             // of all these
    std::vector<Part> parts_;                      // by plane, then by region
    std::vector<CopiedImage> copied_;              // the crops in the current frame
    std::vector<MixedPart> mixed_;                 // parts_ with their places in the current frame
    ImageBuffer weights_;                          // of all parts_
    std::vector<ImageBuffer> edges_;  // parallel to parts_, of a step that fills with their mean
    std::vector<MeanPart> means_;     // those of parts_ with their images
    std::vector<std::uint16_t> computed_;
    std::optional<std::int64_t> mask_number_;  // of the mask whose weights are set
    std::vector<ImageView> views_;
};

// The launches of a StackStep depend on the images and on `past`, the number of frames before this
// one. After StepPlan::frames_before() frames only `past` modulo that number matters.
class StackStep {
 public:
    // `planes` have the frame's shapes and memory space. `plan` must outlive this.
    StackStep(const StepPlan& plan, std::span<const ImageView> planes, const Device& device);

    bool writes(std::size_t plane) const { return plan_->writes(plane); }
    // Prepares run() for this frame: regions that move have their places in it, and the step acts
    // on frames that have any. `mask` is the step's, or null.
    bool acts() const { return !regions_ || regions_->pictures() > 0; }
    void move_to(const FramePlace& place, MaskSource* mask, StreamView stream);
    // The masks of later frames are those of another film.
    void forget_mask();
    // Reads `in`, writes the planes of `out` that writes() names, at the same time where `fork` has
    // streams for them. `in` and `out` share no plane that is written, except those that a step
    // with regions changes in place. Returns the number of launches.
    int run(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
            StreamView stream, StreamFork& fork);
    // The same for a frame that the step does not filter: `out` gets the pixels of `in`.
    void pass(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
              StreamView stream);
    // The images that the convolutions of the last run() have read, where `in` is its argument: one
    // for each entry of the plan's plans. Those of a step with regions are of its first picture,
    // whose pixels may be mixed already.
    std::vector<ImageView> conv_sources(std::span<const ImageView> in);

 private:
    // `places` are those of the planes in the picture.
    int run_crop(std::span<const ImageView> in, std::span<const ImageView> out,
                 std::span<const PixelRect> places, std::size_t past, StreamView stream,
                 StreamFork& fork);
    // The same on the working picture, or on the frame's own samples.
    int compute(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
                StreamView stream, StreamFork& fork);
    int run_gray(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
                 StreamView stream);
    void copy_moved(std::span<const ImageView> in, std::span<const ImageView> out,
                    StreamView stream) const;
    ImageView gray_source(std::span<const ImageView> in) const;
    int make_gray_source(std::span<const ImageView> in, StreamView stream) const;

    const StepPlan* plan_;
    std::vector<PlaneRunner> runners_;   // one per plane, or the gray picture's
    std::vector<std::size_t> written_;   // the planes that writes() names
    std::vector<std::size_t> computed_;  // those of the working picture; the same without one
    std::vector<bool> is_computed_;      // per plane of the working picture
    std::optional<WorkingPicture> working_;
    std::vector<PixelRect> whole_;  // the places of the planes of a whole picture
    // For the gray picture: luma, or r, g and b from separate planes; and the result.
    ImageBuffer gray_in_, gray_out_;
    std::optional<StepRegions> regions_;
};

}  // namespace weft
