// Runs several kernels on what one step of a stack convolves, on the same pixels, and measures
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

#include "app/pipeline/cache_flush.h"
#include "app/pipeline/chain_plan.h"
#include "app/pipeline/race_report.h"
#include "app/pipeline/stage_timer.h"
#include "kernels/gpu_difference.h"
#include "kernels/image_buffer.h"

namespace weft {

// What a launch that is measured finds in the caches.
//   warm  on a GPU: what an unmeasured launch of the same kernel, just before, has left there; on
//         the CPU: what the kernel before it has left, which read and wrote the same images
//   cold  nothing of the images
enum class CacheState : std::uint8_t { warm, cold };

struct RaceChoice {
    std::vector<std::string> kernels = {};  // names of rows; empty: every row that can run the step
    std::string baseline = {};              // a row's name; empty: the step's reference
    CacheState caches = CacheState::warm;
    std::size_t window = 0;  // samples of a kernel that are kept, the newest; 0: as Samples does
};

// Errors are measured against the kernel that the arithmetic contract is plainest in: `direct` on a
// GPU and `opencv_cpu` on the CPU, or the first other fp32 row where these refuse the step. It
// takes part, and so does the baseline, whether they are among the chosen or not.
class StepRace {
 public:
    // `plan` and `result`, which run() adds to, must outlive this. Images are allocated here, on
    // the current device; kernels are prepared when their first turn comes.
    StepRace(const StepPlan& plan, const Device& device, const RaceChoice& choice,
             StepResult& result);

    // One sample for each kernel. `sources` as StepObserver has them. The first call launches each
    // kernel twice more, unmeasured. Returns early, between two kernels, when `stop` is triggered.
    void run(std::span<const ImageView> sources, StreamView stream, const std::stop_token& stop);

    // The same in turns of one sample each, for who cannot wait for all of them. Turn 0 is the copy
    // that the limit is, the others are kernels, the reference first; none if nothing is raced.
    std::size_t turns() const { return planes_.empty() ? 0 : racers_.size() + 1; }
    // Which of the result's kernels a turn from 1 on is.
    std::size_t kernel_of(std::size_t turn) const { return racers_[turn - 1].result; }
    // The sources hold other pixels from now on: each kernel's next turn looks at its results too.
    void begin_frame() { ++frame_; }
    // Blocks until done. Throws what kernels throw; other turns can still be taken then.
    void take_turn(std::size_t turn, std::span<const ImageView> sources, StreamView stream);

 private:
    // One image that is convolved, and where its results go: all where the device computes.
    struct Plane {
        std::size_t source = 0;
        const ConvProblem* problem = nullptr;
        ImageBuffer out;
        ImageBuffer want;    // the reference's
        ImageBuffer copied;  // of the source
    };
    struct Racer {
        const ConvKernel* row = nullptr;
        std::size_t result = 0;                                 // among the step's kernels
        std::vector<std::unique_ptr<PreparedConv>> convs = {};  // one a plane; none before its turn
        int launches = 0;                                       // a sample; 0: not warmed up
        std::uint64_t judged_frame = 0;
    };
    using Launch = std::function<void()>;
    using Sources = std::span<const ImageView>;

    void add_planes();
    void add_racers(const RaceChoice& choice);
    const ConvKernel& reference_row() const;
    KernelResult new_result(const ConvKernel& row, std::string why_not) const;

    void race(Racer& racer, Sources sources, StreamView stream);
    void launch(Racer& racer, Sources sources, ImageBuffer Plane::*to, StreamView stream);
    double sample(int& launches, const Launch& launch, StreamView stream);
    int warm_up(const Launch& launch, StreamView stream);
    double time(int launches, const Launch& launch, StreamView stream,
                std::unique_ptr<HeldStream> held = nullptr);
    void judge(Racer& racer, Sources sources, StreamView stream);
    void make_reference(Racer& racer, Sources sources, StreamView stream);
    ImageDifference differences(StreamView stream);
    void copy(Sources sources, StreamView stream);

    const StepPlan* plan_;
    Device device_;
    StageTimer timer_;
    StepResult* result_;
    std::size_t window_;
    std::optional<CacheFlush> flush_;      // cold
    std::optional<GpuDifference> on_gpu_;  // compares there
    std::vector<Plane> planes_;
    std::vector<Racer> racers_;  // the reference first
    int copy_launches_ = 0;
    std::uint64_t frame_ = 1;
    std::uint64_t reference_frame_ = 0;  // that `want` is of
};

// Writes what `plan` says of its step and of who is planned into a result that is there.
void describe_plan(const StepPlan& plan, StepResult& result);

// Empty if the row can run every plane that the step convolves; else its reason.
std::string why_cannot(const ConvKernel& row, const StepPlan& plan, const Device& device);

}  // namespace weft
