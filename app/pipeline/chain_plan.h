// What a stack will do to frames of one format on one device: shown by --dry-run and in reports,
// executed by FilterChain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/pipeline/lowering.h"
#include "filters/stack.h"
#include "kernels/device.h"
#include "kernels/planner.h"

namespace weft {

struct StepPlan {
    std::string filter;  // its name: "gaussian"
    LoweredStep lowered;
    // The kernels of lowered.planes, in order, or of the gray picture alone; the kernel is null
    // where a plane is not convolved.
    std::vector<Plan> plans;
    std::vector<std::string> notes;  // sentences of the filter for the user

    // How many earlier frames a result depends on: 0 but for steps in time.
    int frames_before() const;
    // What each of `plans` computes; null where its kernel is. Points into `lowered`.
    std::vector<const ConvProblem*> problems() const;
    // The kernels by name without repetition, "column_row_reuse + opencv_cpu"; "blend" for a step
    // in time, "none" for a step that changes nothing.
    std::string kernel_names() const;
    // Why these kernels, without repetition.
    std::string reason() const;
    // The same at length, a line each: every plane with what is computed on it, its kernel and the
    // reason, then the kernels that were passed over and why.
    std::vector<std::string> explanation() const;
};

struct ChainPlan {
    FrameInfo info;
    Device device;
    std::vector<StepPlan> steps;

    // How many earlier frames a result depends on: a step in time that follows another reads what
    // that one made of frames before its own.
    int frames_before() const;
};

// Rows that are taken in place of the planner's choice, by name.
struct ForcedKernels {
    std::string every_step = {};            // empty: none
    std::vector<std::string> by_step = {};  // goes before it; empty or missing: none

    std::string_view of(std::size_t step) const {
        const bool own = step < by_step.size() && !by_step[step].empty();
        return own ? by_step[step] : every_step;
    }
};

// Throws FilterError for what the stack cannot do with such frames, and Error(ExitCode::usage) for
// a forced kernel that does not exist or cannot run, or more of them than steps.
ChainPlan plan_chain(const Stack& stack, const FrameInfo& info, const Device& device,
                     const ForcedKernels& forced = {});

}  // namespace weft
