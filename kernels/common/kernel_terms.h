// Reasons, costs and times that several GPU kernels share. No CUDA; internal to kernels/.
#pragma once

#include <string>

#include "kernels/conv_problem.h"
#include "kernels/device/device.h"

namespace weft {

// Empty, or why a kernel of dense taps rejects the problem; the second also requires that fp32 sums
// are precise enough.
std::string why_not_dense(const ConvProblem& problem);
std::string why_not_fp32_sums(const ConvProblem& problem);

// The same for a row pass and a column pass.
std::string why_not_separable(const ConvProblem& problem);

// Whether all taps are one value.
bool is_box(const Taps& taps);

// That value times the scale, by which a box multiplies its sums.
double box_gain(const ChannelConv& conv);

// Whether fp32 holds the gain of whole-number taps, which promise only one rounding, that of the
// sum times the scale.
bool box_keeps_exactness(const ChannelConv& conv);

// Empty, or a sentence that a block of the device has less shared memory.
std::string why_no_room(int shared_bytes, const Device& device);

// Each sample read once and written once.
double image_bytes(const ConvProblem& problem);

Cost dense_cost(const ConvProblem& problem);
Cost separable_cost(const ConvProblem& problem);
Cost sparse_cost(const ConvProblem& problem);
Cost box_cost(const ConvProblem& problem);  // of running sums

// Taps of one output sample, over all tap sets, zeros included.
double tap_count(const ConvProblem& problem);

// Nonzero taps of one output sample, over all tap sets; if channels have different taps, the mean.
double taps_not_zero(const ConvProblem& problem);

// The cost of a launch. Its times were fitted to random problems on an H200; half of the problems
// are in tests/bench/results/h200-random.csv.
struct Work {
    double start = 0;        // µs, however small the picture is
    double hopper_time = 0;  // µs that each 3840×2160 samples add
    // Operations per sample that another GPU may do more slowly than a Hopper GPU. Other GPUs issue
    // as many instructions per clock, but have units that do less.
    double fmas = 0;
    double half_products = 0;
    double byte_products = 0;
    double more_bytes = 0;  // of memory, besides reading and writing the sample once
};

// µs for the problem: the start, and the time of the unit that takes longest, by the device's
// rates, multiprocessors and clock.
double estimated_time(const ConvProblem& problem, const Device& device, const Work& work);

}  // namespace weft
