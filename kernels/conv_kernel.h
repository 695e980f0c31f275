// The convolution kernels: one entry each, in one list that the planner, the tests, the bench, the
// help and the docs iterate. A kernel's host source defines its entry; conv_kernels.cpp lists it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/conv_problem.h"
#include "kernels/device/device.h"

namespace weft {

// A kernel made ready for one problem on one device: weights uploaded, launch shape chosen.
// Not thread-safe; may be launched any number of times, on one stream at a time (it may own a
// workspace that two launches would share).
class PreparedConv {
 public:
    PreparedConv() = default;
    PreparedConv(const PreparedConv&) = delete;
    PreparedConv& operator=(const PreparedConv&) = delete;
    virtual ~PreparedConv() = default;

    // Reads `src`, writes every pixel of `dst` and nothing else; both match the problem and are in
    // the kernel's memory space; they must not overlap. Device kernels return at once, ordered on
    // `stream`; host kernels return when done. Throws CudaError or std::runtime_error.
    virtual void launch(const ImageView& src, const ImageView& dst, StreamView stream) = 0;
};

// The arithmetic of a kernel's sums, besides the contract's fp32. Whole numbers stay exact unless
// noted.
//   fp32          fp32 products and sums
//   half_taps     taps rounded to half precision or as finely to whole numbers, sums of tensor
//                 cores: a sum errs by at most m Σ|w| · 1.25 · 2^-11 more, m the middle of the
//                 range (128 at 8 bits, 2048 at 12), and a result by at most 0.45 before it is
//                 rounded
//   half_between  8-bit samples, factors and the result between the passes are rounded so: 3.25 in
//                 place of 1.25, Σ|row| Σ|column| in place of Σ|w|
//   fourier       fp32 transforms of up to 2^20 samples: a sum errs by at most 0.02 m √Σw² more, m
//                 128 at 8 bits, 32768 at 16, the largest |sample| of f32; for whole numbers too
//   split_halves  f32 samples and taps as sums of two halves, sums of tensor cores: a sum errs by
//                 at most γ_3n instead of γ_n for n taps, and by n Σ|w| 2^-38 of the largest
//                 sample within 128 pixels more
//   fixed_point   8- and 16-bit samples: 16-bit taps and sums of integers, or fp32 where those
//                 would move a result by more than 0.1 level before it is rounded
//   two_rate      the Gaussian itself and not the factors that stand for it: fp32 sums that err by
//   at
//                 most Σ|w| 0.2 level of 8 bits, or Σ|w| 6e-7 of the range of other samples, more
enum class Arithmetic : std::uint8_t {
    fp32,
    half_taps,
    half_between,
    fourier,
    split_halves,
    fixed_point,
    two_rate
};

struct ConvKernel {
    std::string_view name;     // stable id in CLI, CSV and tests: "column_row_reuse"
    std::string_view summary;  // one line: the idea and its trade-off
    std::string_view source;   // paper, textbook
    std::string_view limits;   // one line
    MemorySpace space = MemorySpace::host;
    Arithmetic arithmetic = Arithmetic::fp32;
    bool sums_channels = false;  // accepts problems that do, see ConvProblem
    // Sums in double where fp32 is too coarse, see rounding.h. The others take ConvProblem's
    // exact_sums only where fp32 is exact.
    bool sums_in_double = false;
    // Computes Gaussians by Taps::gaussian_x and gaussian_y. The others add up the factors, at most
    // Taps::kMaxSeparable a side.
    bool gaussians_by_sigma = false;
    // The kernel's own reason, on a device of its memory space: a sentence that is shown as is, or
    // empty if it can run. Call why_cannot().
    std::string (*why_not)(const ConvProblem&, const Device&) = nullptr;
    // Null for GPU kernels of a CPU-only build.
    std::unique_ptr<PreparedConv> (*prepare)(const ConvProblem&, const Device&) = nullptr;
    Cost (*cost)(const ConvProblem&) = nullptr;
    // Estimated µs for the problem, if the kernel can run on the device: fitted to measurements on
    // an H200 and scaled by the device's rates, see kernel_terms.h. The planner chooses the kernel
    // with the least. Infinity: only by name for this problem. Null: only by name.
    double (*time)(const ConvProblem&, const Device&) = nullptr;
    // Shown when the planner chooses it, see reason_for(): "{size} dense {type}: columns and rows
    // reused".
    std::string_view reason = {};
};

// Empty, or that the build has no CUDA or the device is no GPU, which kernels of this memory space
// need.
std::string why_cannot_run(MemorySpace space, const Device& device);

// Empty, or why the kernel cannot run. It may not sum over channels, may take fewer factors, may
// lack CUDA or a GPU, or have a reason of its own.
std::string why_cannot(const ConvKernel& kernel, const ConvProblem& problem, const Device& device);

// Every kernel. A CPU-only build has the CUDA kernels too: why_cannot() explains how to get them.
std::span<const ConvKernel> conv_kernels();

// Null if no kernel has that name.
const ConvKernel* find_kernel(std::string_view name);

}  // namespace weft
