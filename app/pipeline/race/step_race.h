// Runs several kernels on the convolutions of one step of a stack, on the same pixels, and measures
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/pipeline/race/error_map.h"
#include "app/pipeline/race/race_report.h"
#include "app/pipeline/report/stage_timer.h"
#include "app/pipeline/stack/stack_plan.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream_fork.h"
#include "kernels/pixels/image_difference.h"

namespace weft {

// State of the caches when a measured launch begins.
//   warm  on a GPU: as an unmeasured launch of the same kernel, just before, has left them; on the
//         CPU: as the previous kernel has left them, which read and wrote the same images
//   cold  without any part of the images
enum class CacheState : std::uint8_t { warm, cold };

struct RaceChoice {
    std::vector<std::string> kernels = {};  // by name; empty: every kernel that can run the step
    std::string baseline = {};              // by name; empty: the step's reference
    CacheState caches = CacheState::warm;
    std::size_t window = 0;  // number of newest samples kept per kernel; 0: as Samples does
};

// Errors are measured against the kernel that implements the arithmetic contract most plainly:
// `direct` on a GPU and `opencv_cpu` on the CPU, or the first other fp32 kernel if these refuse the
// step. It always takes part, and so does the baseline, even if they are not among the chosen.
class StepRace {
 public:
    // `plan` and `result`, which run() updates, must outlive this. Images are allocated here, on
    // the current device; kernels are prepared at their first turn.
    StepRace(const StepPlan& plan, const Device& device, const RaceChoice& choice,
             StepResult& result);

    // One sample for each kernel. `sources` are StepObserver's. The first call launches each kernel
    // twice more, unmeasured. Returns early, between two kernels, when `stop` is triggered.
    void run(std::span<const ImageView> sources, StreamView stream, const std::stop_token& stop);

    // The same in turns of one sample each, for callers that must not block. The first kLimitTurns
    // measure the plain copy and the empty launch, the others kernels, the reference first; 0 if
    // nothing is raced.
    static constexpr std::size_t kLimitTurns = 2;
    std::size_t turns() const { return planes_.empty() ? 0 : racers_.size() + kLimitTurns; }
    // Index in the result of the kernel that a turn from kLimitTurns on measures.
    std::size_t kernel_of(std::size_t turn) const { return racers_[turn - kLimitTurns].result; }
    // The sources have different pixels from now on: each kernel's next turn compares its results
    // again.
    void begin_frame() { ++frame_; }
    // The errors of a kernel that can run, on the first plane. Runs it and, if necessary, the
    // reference, and blocks until done. Throws the kernels' exceptions.
    ErrorMap error_map(const std::string& kernel, std::span<const ImageView> sources,
                       StreamView stream);
    // Allocates the memory of a turn's kernel and, on a GPU, loads the kernel's code by a launch
    // that is not measured, which can take half a second. Other threads may launch meanwhile.
    // take_turn() does it where no caller has. Blocks until done. Throws the kernels' exceptions.
    void prepare(std::size_t turn, std::span<const ImageView> sources, StreamView stream);
    bool is_prepared(std::size_t turn) const {
        return turn < kLimitTurns || racers_[turn - kLimitTurns].prepared;
    }
    // Blocks until done. Throws the kernels' exceptions; other turns can still be taken then.
    void take_turn(std::size_t turn, std::span<const ImageView> sources, StreamView stream);

 private:
    // One image that is convolved, and the buffers for its results, all in the device's memory.
    struct Plane {
        std::size_t source = 0;
        const ConvProblem* problem = nullptr;
        ImageBuffer out;
        ImageBuffer want;    // the reference's result
        ImageBuffer copied;  // copy of the source
    };
    struct Racer {
        const ConvKernel* kernel = nullptr;
        std::size_t result = 0;                                 // among the step's kernels
        std::vector<std::unique_ptr<PreparedConv>> convs = {};  // per plane; empty until allocate()
        int launches = 0;                                       // per sample; 0: not warmed up
        std::uint64_t judged_frame = 0;
        bool prepared = false;
    };
    struct Copying {
        void (*copy)(const ImageView& src, const ImageView& dst, StreamView stream) = nullptr;
        Samples seconds = {};
        int launches = 0;  // per sample; 0: not warmed up
    };
    using Launch = std::function<void()>;
    using Sources = std::span<const ImageView>;

    void add_planes();
    void add_racers(const RaceChoice& choice);
    const ConvKernel& reference_kernel() const;
    KernelResult new_result(const ConvKernel& kernel, std::string why_not) const;

    void allocate(Racer& racer);
    void race(Racer& racer, Sources sources, StreamView stream);
    void launch(Racer& racer, Sources sources, ImageBuffer Plane::*to, StreamView stream);
    double sample(int& launches, const Launch& launch, StreamView stream);
    int warm_up(const Launch& launch, StreamView stream);
    double time(int launches, const Launch& launch, StreamView stream,
                std::unique_ptr<StreamBlocker> blocker = nullptr);
    void judge(Racer& racer, Sources sources, StreamView stream);
    void make_reference(Racer& racer, Sources sources, StreamView stream);
    ImageDifference differences(StreamView stream);
    void measure_copies(Sources sources, StreamView stream);
    void copy(const Copying& how, Sources sources, StreamView stream);
    void check_copy(const Copying& how, Sources sources, StreamView stream);
    void launch_empty(StreamView stream);
    void look_up(Racer& racer, Sources sources);
    bool flushes() const { return flushing_.view().data != nullptr; }

    const StepPlan* plan_;
    Device device_;
    StageTimer timer_;
    StepResult* result_;
    std::size_t window_;
    ImageBuffer flushing_;  // overwritten to empty the caches; without pixels if they stay warm
    std::optional<GpuDifference> on_gpu_;  // compares on the GPU
    std::vector<Plane> planes_;
    std::optional<StreamFork> fork_;  // for the planes, as in the stack
    std::vector<Racer> racers_;       // the reference first
    std::vector<Copying> copies_;     // of which the faster is the limit
    int empty_launches_ = 0;
    std::uint64_t frame_ = 1;
    std::uint64_t reference_frame_ = 0;  // the frame of `want`
};

// Describes the step and its planned kernels in an existing result.
void describe_plan(const StepPlan& plan, StepResult& result);

// Empty if the kernel can run every plane that the step convolves; otherwise its reason.
std::string why_cannot(const ConvKernel& kernel, const StepPlan& plan, const Device& device);

}  // namespace weft
