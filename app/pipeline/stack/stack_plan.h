// The plan of a stack for frames of one format on one device. Shown by --dry-run and in reports,
// executed by StackRunner.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/pipeline/stack/lowering.h"
#include "app/pipeline/stack/region_plan.h"
#include "app/pipeline/stack/working_format.h"
#include "filters/stack.h"
#include "kernels/device/device.h"
#include "kernels/planner.h"

namespace weft {

struct StepPlan {
    std::string filter;  // its name: "gaussian"
    std::string text;    // as print_step() writes it: "gaussian=sigma=2"
    // Nothing: the step filters whole pictures. Otherwise `lowered` and `plans` are for a crop.
    // Steps that take means always have one.
    std::optional<RegionPlan> region;
    // Nothing: the step computes on the frame's own samples. Otherwise `lowered` and `plans` are
    // for the working picture.
    std::optional<WorkingFormat> working;
    std::string enable;  // an expression, see EnabledFrames; empty: all frames are filtered
    LoweredStep lowered;
    // The kernels of lowered.planes, in order, or of the gray picture alone; the kernel is null for
    // planes that are not convolved.
    std::vector<Plan> plans;
    std::vector<std::string> notes;  // the filter's sentences for the user
    // One sentence for each object states where its boxes are in the file. Runs report how many of
    // their frames have them, see BoxCounts.
    std::vector<std::string> objects;

    // Whether the step writes this plane of the frame.
    bool writes(std::size_t plane) const {
        return working ? working->written[plane] : lowered.writes(plane);
    }
    // How many earlier frames a result depends on: 0 except for steps in time.
    int frames_before() const;
    // The problem that each of `plans` computes; null where its kernel is. Points into `lowered`.
    std::vector<const ConvProblem*> problems() const;
    // Distinct kernel names, "column_row_reuse + opencv_cpu"; "blend" for a step in time,
    // "means" for one that takes means, "none" for a step that changes nothing.
    std::string kernel_names() const;
    // The reasons for these kernels, without repetition.
    std::string reason() const;
    // The same in detail, one entry per line: every plane with its computation, its kernel and the
    // reason, then the kernels that were passed over and why.
    std::vector<std::string> explanation() const;
};

struct StackPlan {
    FrameInfo info;
    Device device;
    std::vector<StepPlan> steps;

    // How many earlier frames a result depends on: a step in time that follows another reads the
    // other's results for frames before its own.
    int frames_before() const;

    // Whether the step writes the plane to another buffer than it reads: a step with regions
    // changes a plane in place, unless no step before it has written the plane.
    bool moves(std::size_t step, std::size_t plane) const;
};

// Stands for a kernel's name: the planner then chooses, even if `weft tune` measured another.
inline constexpr std::string_view kTableKernels = "table";

// Kernels, by name, that override the planner's choice.
struct ForcedKernels {
    std::string every_step = {};            // empty: none
    std::vector<std::string> by_step = {};  // takes precedence; empty or missing: none
    // Replaces planned kernels of a GPU where none is forced; empty: nothing does.
    std::function<Plan(Plan, const ConvProblem&, const Device&)> replace = {};

    std::string_view of(std::size_t step) const {
        const bool own = step < by_step.size() && !by_step[step].empty();
        return own ? by_step[step] : every_step;
    }
};

// How taps are summed: as they are given, or as whole numbers that give the same bits on every
// device, see kernels/exact_sums.h. A step's notes state how far these are from the given taps.
enum class Sums : std::uint8_t { as_given, exact };

// Throws FilterError if the stack does not support such frames, and Error(Outcome::usage) for a
// forced kernel that does not exist or cannot run, for more of them than steps, and for exact sums
// of samples in floating point or of a Gaussian that takes too many factors at 4 sigma.
StackPlan plan_stack(const Stack& stack, const FrameInfo& info, const Device& device,
                     const ForcedKernels& forced = {}, Sums sums = Sums::as_given);

// Filters interlaced frames whole, or each field as its own picture.
enum class Fields : std::uint8_t { together, split };

// One plan for whole frames, or two for the fields: even lines (0, 2, …), then odd lines. Frames of
// a single line have no second field and are filtered whole. Throws as plan_stack().
std::vector<StackPlan> plan_frames(const Stack& stack, const FrameInfo& info, const Device& device,
                                   const ForcedKernels& forced, Fields fields,
                                   Sums sums = Sums::as_given);

}  // namespace weft
