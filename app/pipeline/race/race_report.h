// Results of a race of kernels over the frames of a file, as numbers, text and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/media/read/reader.h"
#include "app/pipeline/report/samples.h"
#include "filters/frame_info.h"
#include "kernels/conv_kernel.h"
#include "kernels/device/device_peak.h"
#include "kernels/device/launch_graph.h"
#include "kernels/pixels/image_difference.h"

namespace weft {

// One kernel on one step: all planes that the step convolves together.
struct KernelResult {
    std::string kernel;
    bool planned = false;  // the planner chose it, for at least one plane
    std::string why_not;   // empty: it ran; otherwise the kernel's reason
    Samples seconds;       // one sample per frame: kernel time of a launch on each plane
    ImageDifference error;
    double allowed_difference = 0;  // a larger error breaks the arithmetic contract
    double operations = 0;          // of a frame, by the kernel's method
    Arithmetic arithmetic = Arithmetic::fp32;
    std::vector<LaunchFacts> launches;  // in order; none on a CPU, or unknown
    std::vector<std::string> planner;   // why the planner chose it or passed it over: sentences
};

struct StepResult {
    std::string filter;
    std::string text;                   // the filter with its parameters
    std::vector<std::string> problems;  // describe() of each image that is convolved
    std::string work;  // the computation, "5×5 dense u8 …", or why nothing is raced
    std::vector<std::string> explanation;  // StepPlan::explanation(): the planner's reasons
    std::string reference;  // the kernel that errors are measured against; empty: nothing is raced
    bool exact = false;     // all kernels that keep the contract must give the same bits here
    std::string baseline;   // the kernel that speed-ups are measured against
    double bytes = 0;       // a frame's input read once and its output written once
    Samples empty;          // a launch for each plane that computes nothing, measured likewise
    Samples copy;           // a copy of these bytes, by the fastest of the known ways
    DevicePeak peak;
    Device device;
    std::vector<KernelResult> kernels;  // in the order of conv_kernels()
};

struct RaceReport {
    FrameInfo info;
    std::string pixel_format;
    std::int64_t frames = 0;            // so far
    std::int64_t frames_estimated = 0;  // 0: unknown
    double media_seconds = 0;           // from the first frame to the end of the last so far
    std::vector<std::string> notes;
    DamageReport damage;  // if the input was read to its end
    std::vector<StepResult> steps;
};

// In units of 1e9 bytes per second, at the median; 0 without samples.
double gigabytes_per_second(const StepResult& step, const Samples& seconds);

// Median of the copy divided by the kernel's: 1 is as fast as a copy. 0 without samples. What binds
// a kernel is in race_limits.h.
double fraction_of_limit(const StepResult& step, const KernelResult& kernel);

// Median of the baseline divided by the kernel's: above 1 is faster. 0 without samples of both.
double speed_up(const StepResult& step, const KernelResult& kernel);

// Whether a compared pixel differs from the reference by more than `allowed_difference`.
bool is_wrong(const KernelResult& kernel);

// Whether the medians do not differ significantly, because their 95 % confidence ranges overlap or
// are within 1 % of each other, which a timer may not resolve. False without samples of both.
bool is_tie(const Samples& a, const Samples& b);

// Cells of a table, for the terminal and the window.

// A time with its unit, such as "12.3 µs" or "4.56 ms".
std::string duration_text(double seconds);
// "12.3" and the unit, or "-" without a value.
std::string number_text(double value, int decimals, const char* unit);
std::string median_text(const Samples& samples);
std::string p95_text(const Samples& samples);
// "12.3 to 14.5 µs": the 5th and the 95th percentile.
std::string spread_text(const Samples& samples);
// The largest error in steps of a sample.
std::string error_text(const ImageDifference& error);
// The share of pixels that differ: "1.25 %"; a tiny share is "<0.01 %".
std::string differing_text(const ImageDifference& error);

// One step as JSON, shared by `weft compare --json` and the window's export. Fields are added,
// never renamed; unknown values are null.
nlohmann::ordered_json race_kernel_json(const StepResult& step, const KernelResult& kernel);
nlohmann::ordered_json race_step_json(std::size_t number, const StepResult& step);

}  // namespace weft
