// What a race of kernels over the frames of a file found out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/reader.h"
#include "app/pipeline/samples.h"
#include "filters/frame_info.h"
#include "kernels/image_difference.h"

namespace weft {

// One kernel on one step, all planes that the step convolves together.
struct KernelResult {
    std::string kernel;
    bool planned = false;  // the planner takes it, for some plane at least
    std::string why_not;   // empty: it ran; else the row's own sentence
    Samples seconds;       // one sample a frame: kernel time of a launch on each plane
    ImageDifference error;
    double allowed_difference = 0;  // an error beyond it breaks the arithmetic contract
};

struct StepResult {
    std::string filter;
    std::string work;  // what is computed: "5×5 dense u8 …", or why nothing is raced
    std::vector<std::string> explanation;  // StepPlan::explanation(): why the planner chose so
    std::string reference;  // the kernel that errors are measured against; empty: nothing is raced
    bool exact = false;     // all kernels that keep the contract must give the same bits here
    std::string baseline;   // the kernel that speed-ups are measured against
    double bytes = 0;       // a frame's input read once and its output written once
    Samples copy;           // moving these bytes and doing nothing else, measured likewise
    std::vector<KernelResult> kernels;  // in the order of conv_kernels()
};

struct RaceReport {
    FrameInfo info;
    std::string pixel_format;
    std::int64_t frames = 0;            // so far
    std::int64_t frames_estimated = 0;  // 0: unknown
    double media_seconds = 0;           // from the first frame to the end of the last so far
    std::vector<std::string> notes;
    DamageReport damage;  // of an input that was read to its end
    std::vector<StepResult> steps;
};

// Bytes a second in units of 1e9 at the median; 0 without samples.
double gigabytes_per_second(const StepResult& step, const Samples& seconds);

// Median of the copy over the kernel's: 1 is as fast as memory allows. 0 without samples.
double fraction_of_limit(const StepResult& step, const KernelResult& kernel);

// Median of the baseline over the kernel's: above 1 is faster. 0 without samples of both.
double speed_up(const StepResult& step, const KernelResult& kernel);

// Its pixels were looked at, and some are further from the reference's than they may be.
bool is_wrong(const KernelResult& kernel);

// The medians do not differ by more than what the samples leave open: the ranges that hold the
// medians with 95 % probability overlap, or lie within 1 %, which a timer's resolution may be.
// False without samples of both.
bool is_tie(const Samples& a, const Samples& b);

}  // namespace weft
