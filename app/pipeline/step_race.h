// Runs several kernels on what one step of a stack convolves, on the same pixels, and measures
// them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/pipeline/chain_plan.h"
#include "app/pipeline/race_report.h"
#include "app/pipeline/stage_timer.h"
#include "kernels/image_buffer.h"

namespace weft {

struct RaceChoice {
    std::vector<std::string> kernels;  // names of rows; empty: every row that can run the step
    std::string baseline;              // a row's name; empty: the step's reference
};

// Errors are measured against the kernel that the arithmetic contract is plainest in: `direct` on a
// GPU and `opencv_cpu` on the CPU, or the first other fp32 row where these refuse the step. It
// takes part, and so does the baseline, whether they are among the chosen or not.
class StepRace {
 public:
    // `plan` and `result`, which run() adds to, must outlive this. Everything is allocated here, on
    // the current device.
    StepRace(const StepPlan& plan, const Device& device, const RaceChoice& choice,
             StepResult& result);

    // One sample for each kernel. `sources` as StepObserver has them. The first call launches each
    // kernel twice more, unmeasured. Returns early, between two kernels, when `stop` is triggered.
    void run(std::span<const ImageView> sources, StreamView stream, const std::stop_token& stop);

 private:
    // One image that is convolved, and where its results go.
    struct Plane {
        std::size_t source = 0;
        const ConvProblem* problem = nullptr;
        ImageBuffer out;     // where the device computes
        ImageBuffer got;     // the same on the host; unused when `out` is there
        ImageBuffer want;    // the reference's, on the host
        ImageBuffer copied;  // of the source, where the device computes
    };
    struct Racer {
        std::size_t result = 0;                            // among the step's kernels
        std::vector<std::unique_ptr<PreparedConv>> convs;  // one a plane
        int launches = 0;                                  // a sample; 0: not warmed up
    };
    using Launch = std::function<void()>;

    void add_planes();
    void add_racers(const RaceChoice& choice);
    void add_racer(const ConvKernel& row);
    std::string why_not(const ConvKernel& row) const;
    const ConvKernel& reference_row() const;

    void race(Racer& racer, std::span<const ImageView> sources, StreamView stream);
    double sample(int& launches, const Launch& launch, StreamView stream);
    int warm_up(const Launch& launch, StreamView stream);
    double time(int launches, const Launch& launch, StreamView stream,
                std::unique_ptr<HeldStream> held = nullptr);
    void poison(StreamView stream);
    const ImageView& fetch(Plane& plane, StreamView stream);
    void judge(Racer& racer, StreamView stream);
    void copy(std::span<const ImageView> sources, StreamView stream);

    const StepPlan* plan_;
    Device device_;
    StageTimer timer_;
    StepResult* result_;
    std::vector<Plane> planes_;
    std::vector<Racer> racers_;  // the reference first
    int copy_launches_ = 0;
};

}  // namespace weft
