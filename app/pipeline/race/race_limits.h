// Why a kernel takes its time: the limits of the device, and the one that binds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/pipeline/race/race_report.h"

namespace weft {

// No kernel is faster than
//   launch      a copy of the same bytes, if an empty launch for each plane takes most of its time
//   memory      a copy of the same bytes that takes longer
//   arithmetic  its operations at the peak of the units that compute them
// and the highest of these binds it.
enum class Limit : std::uint8_t { unknown, launch, memory, arithmetic };
std::string_view name_of(Limit limit);

struct Bound {
    Limit limit = Limit::unknown;
    double seconds = 0;   // the least time that the limit allows
    double fraction = 0;  // of the kernel's median: 1 is as fast as the limit allows
};
// Unknown without samples of the kernel, the copy and the empty launch.
Bound bound_of(const StepResult& step, const KernelResult& kernel);

// Whether the limit takes at least half of the kernel's time; otherwise none explains it.
bool explains(const Bound& bound);

// The least time in which the device's memory and its units can do a frame's work, divided by the
// median. Above 1 where caches hold the frame. 0 where unknown.
double fraction_of_peak(const StepResult& step, const KernelResult& kernel);

// Operations per second at the peak of the units that compute this arithmetic; 0: unknown.
double peak_operations(const DevicePeak& peak, Arithmetic arithmetic);

// Cells of a table.

std::string bound_text(const Bound& bound);  // "memory 62 %"
// The time in which the memory can move a frame's bytes.
std::string peak_time_text(const StepResult& step);
// "3350 GB/s, 67 TFLOP/s".
std::string peak_text(const DevicePeak& peak);
// "67 TFLOP/s", "120 GFLOP/s", "2.25 PFLOP/s".
std::string operations_text(double per_second);

// Sentences: the limit that binds, the bytes moved, launches, registers and occupancy or threads
// and vectors, and the planner's reasons. None for a kernel that did not run.
std::vector<std::string> why(const StepResult& step, const KernelResult& kernel);

// The fields of a kernel and of the peak in race_kernel_json() and race_step_json().
nlohmann::ordered_json limits_json(const StepResult& step, const KernelResult& kernel);
nlohmann::ordered_json peak_json(const DevicePeak& peak);

}  // namespace weft
