// Kernels that `weft tune` found to be the fastest on this machine's GPUs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "app/pipeline/stack/stack_plan.h"
#include "kernels/planner.h"

namespace weft {

// The planner's estimates are fitted to one H200; other GPUs have other ratios of memory,
// arithmetic and shared memory. Entries apply to one GPU model, driver and version of the program,
// for the shape of the taps and the type, and for images of about the same size.
class MeasuredPlans {
 public:
    MeasuredPlans() = default;
    // Reads a saved file. A missing, damaged or foreign one counts as empty, which costs only time.
    explicit MeasuredPlans(const std::filesystem::path& file);

    // Writes the choices, for a later start. Throws Error(not_written).
    void save(const std::filesystem::path& file) const;

    void remember(const ConvProblem& problem, const Device& device, std::string_view kernel);

    // Returns `planned` with the measured kernel and the reason if that kernel can run and has the
    // same arithmetic, so that the results stay within the same bounds; else `planned` as it is.
    Plan applied(Plan planned, const ConvProblem& problem, const Device& device) const;

 private:
    std::map<std::string, std::string> kernels_;  // by key_of() a problem on a device
};

// The file is plans.json in cache_folder().
std::filesystem::path measured_plans_file();

// Adds the measured kernels to steps for which none is forced; reads the file once per process.
ForcedKernels with_measured_plans(ForcedKernels kernels);

}  // namespace weft
