// Kernels that `weft tune` found to be the fastest on this machine's GPUs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "app/pipeline/stack/stack_plan.h"
#include "kernels/planner.h"

namespace weft {

// The planner's table has the times of one H200; other GPUs have other ratios of memory, arithmetic
// and shared memory. Entries apply to one GPU model, driver and version of the program, for the
// shape of the taps and the type, and for images of about the same size.
class MeasuredPlans {
 public:
    MeasuredPlans() = default;
    // Empty without the file, or with one that is damaged or of another form: only time is lost.
    explicit MeasuredPlans(const std::filesystem::path& file);

    // Throws Error(not_written).
    void save(const std::filesystem::path& file) const;

    void remember(const ConvProblem& problem, const Device& device, std::string_view kernel);

    // The measured kernel in place of the planned one, with the reason, if it still can run and has
    // the planned one's arithmetic: results stay within the same bounds.
    Plan applied(Plan planned, const ConvProblem& problem, const Device& device) const;

 private:
    std::map<std::string, std::string> kernels_;  // by key_of() a problem on a device
};

// cache_folder()/plans.json.
std::filesystem::path measured_plans_file();

// The same choices of kernels, and for the other steps those of that file, read once per process.
ForcedKernels with_measured_plans(ForcedKernels kernels);

}  // namespace weft
