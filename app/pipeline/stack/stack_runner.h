// Runs a planned stack over frames: on the CPU directly on the frame's planes, on a GPU with
// several frames in flight, so that copies both ways and kernels overlap. Filters whole frames, or
// the two fields of interlaced frames each as its own picture.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "app/pipeline/report/durations.h"
#include "app/pipeline/report/trace.h"
#include "app/pipeline/stack/enabled_frames.h"
#include "app/pipeline/stack/mask_source.h"
#include "app/pipeline/stack/stack_plan.h"
#include "kernels/image_view.h"
#include "kernels/plane_views.h"

namespace weft {

struct StepTimes {
    Durations frames;  // one sample per picture: the step's launches together, kernel time only
    double last_seconds = 0;  // the most recent one
    std::int64_t launches = 0;
};

// One sample per filtered picture: a frame, or a field.
struct StackTimes {
    Durations upload;    // from pageable to pinned memory and to the device; empty on the CPU
    Durations kernels;   // all steps of a picture
    Durations download;  // as upload, the other way
    std::vector<StepTimes> steps;
    std::int64_t replays = 0;  // of CUDA graphs, each instead of several of the steps' launches
};

// Called after each step of a picture with the images that its convolutions have read, one for each
// entry of StepPlan::plans, in the device's memory. They do not change during the call.
using StepObserver =
    std::function<void(std::size_t step, std::span<const ImageView> sources, StreamView stream)>;

// The lines of one field: every second line of each plane, starting at line `field` (0 or 1).
PlaneViews field_views(std::span<const ImageView> planes, int field);

// The constructor and the first run() allocate everything, or the first run() after release().
// Frames must come in order: steps in time remember earlier ones, of each field on its own. Not
// thread-safe, but may be used by several threads in turn if each calls use_device().
class StackRunner {
 public:
    // `plans` are those of plan_frames(). With `graphs`, launches that repeat are recorded and
    // replayed as CUDA graphs: less work for the CPU, the same pixels and times. Makes the plan's
    // device current. Throws Error naming the device if it cannot be used; the cause of this and of
    // all errors thrown here is the device if CUDA failed.
    explicit StackRunner(const std::vector<StackPlan>& plans, bool graphs = true);
    explicit StackRunner(const StackPlan& plan, bool graphs = true)
        : StackRunner(std::vector{plan}, graphs) {}
    ~StackRunner();
    StackRunner(const StackRunner&) = delete;
    StackRunner& operator=(const StackRunner&) = delete;

    // The masks of the plan's steps, for the frames of one film; no frame may be in flight. A stack
    // with masks filters no frame without them.
    void set_masks(StepMasks masks);
    // For a frame that is not submitted. The masks move along, so that their damage is found and
    // they need not be opened again.
    void pass_over(const FramePlace& place);
    const StepMasks& masks() const { return masks_; }

    // Begins to filter one frame. `src` and `dst` are the planes of two frames of the plan's
    // format, in its order, on the host or, if the plan's device is a GPU, in its memory; every
    // pixel of `dst` is written. `source_read`, if given, is called as soon as `src` is no longer
    // needed, by this call or by finish(); `dst` must stay valid until finish(). At most
    // most_in_flight() frames may be unfinished. On the CPU the frame is done on return. Throws
    // Error naming the device; then the planes are no longer read or written, and `source_read` is
    // not called. `place` matters to steps that filter some frames only.
    void submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                std::function<void()> source_read = {}, const FramePlace& place = {});
    // Blocks until the oldest unfinished frame is done. Throws Error.
    void finish();
    // Blocks until nothing reads or writes the planes of the newest unfinished frame, which then
    // counts as never begun.
    void give_up() noexcept;
    std::size_t most_in_flight() const;  // 1 on the CPU

    // submit() and finish(), for one frame while none is in flight.
    void run(std::span<const ImageView> src, std::span<const ImageView> dst,
             std::function<void()> source_read = {}, const FramePlace& place = {});

    // Observes all pictures from now on; the observer's time counts in no step.
    void observe(const StepObserver& observer);

    // Traces all pictures from now on. Call it while no frame is in flight. Makes the plan's device
    // current. Throws Error.
    void trace(const FileTrace& file);

    // For the first frame of another file: forgets earlier frames, times, observers and masks, and
    // keeps the buffers. No frame may be in flight.
    void restart();

    // Frees all buffers, including the history of steps in time; plan() and times() stay.
    void release();

    const StackPlan& plan() const;  // for whole frames, or for the upper field
    const Device& device() const { return plan().device; }
    const StackTimes& times() const { return times_; }

 private:
    template <class Work>
    void on_device(const Work& work) const;

    struct Lane;
    StackTimes times_;
    StepMasks masks_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // for whole frames, or one per field
};

}  // namespace weft
