// The convolution kernels: one row each, in one list that the planner, the tests, the bench, the
// help and the docs iterate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/conv_problem.h"
#include "kernels/device/device.h"
#include "kernels/layer_problem.h"

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
    // the row's memory space; they must not overlap. Device rows return at once, ordered on
    // `stream`; host rows return when done. Throws CudaError or std::runtime_error.
    virtual void launch(const ImageView& src, const ImageView& dst, StreamView stream) = 0;
};

// The arithmetic of a row's sums, besides the contract's fp32. Whole numbers stay exact unless
// noted.
//   fp32          fp32 products and sums
//   half_taps     8-bit samples, taps rounded to half precision or as finely to whole numbers, sums
//                 of tensor cores: a sum errs by at most 128 Σ|w| · 1.25 · 2^-11 more
//   half_between  factors and the result between the passes are rounded so: 3.25 in place of 1.25,
//                 Σ|row| Σ|column| in place of Σ|w|
//   fourier       fp32 transforms of up to 2^20 samples: a sum errs by at most 0.02 m √Σw² more, m
//                 128 at 8 bits, 32768 at 16, the largest |sample| of f32; for whole numbers too
enum class Arithmetic : std::uint8_t { fp32, half_taps, half_between, fourier };

// The same for one layer of a neural network.
class PreparedLayer {
 public:
    PreparedLayer() = default;
    PreparedLayer(const PreparedLayer&) = delete;
    PreparedLayer& operator=(const PreparedLayer&) = delete;
    virtual ~PreparedLayer() = default;

    // Reads `input`, writes every element of `output` and nothing else: dense tensors of the
    // problem's layout and type in the row's memory space, aligned to 16 bytes, that do not
    // overlap. Device rows return at once, ordered on `stream`. Throws CudaError or
    // std::runtime_error.
    virtual void launch(const void* input, void* output, StreamView stream) = 0;
};

// The why_not of rows that have one form only: "it filters images and takes no layers", and the
// opposite.
std::string takes_no_layers(const LayerProblem& problem, const Device& device);
std::string takes_no_images(const ConvProblem& problem, const Device& device);

// How a row computes layers. Sums are fp32 in any order, or from tensor cores: an output errs by at
// most γ_n Σ|w x|, ε = 2^-23, n = sum_length(), half a step of f16; for fourier see layer_fft.cuh.
struct LayerForm {
    std::string (*why_not)(const LayerProblem&, const Device&) = takes_no_layers;
    std::unique_ptr<PreparedLayer> (*prepare)(const LayerProblem&, const Device&) = nullptr;
    Cost (*cost)(const LayerProblem&) = nullptr;

    bool exists() const { return prepare != nullptr; }
};

struct ConvKernel {
    std::string_view name;     // stable id in CLI, CSV and tests: "column_row_reuse"
    std::string_view summary;  // one line: the idea and its trade-off
    std::string_view source;   // paper, textbook
    std::string_view limits;   // one line
    MemorySpace space = MemorySpace::host;
    Arithmetic arithmetic = Arithmetic::fp32;
    bool sums_channels = false;  // accepts problems that do, see ConvProblem
    // Empty: can run. Otherwise the reason, a sentence that is shown as is. Call why_cannot().
    std::string (*why_not)(const ConvProblem&, const Device&) = takes_no_images;
    std::unique_ptr<PreparedConv> (*prepare)(const ConvProblem&, const Device&) = nullptr;
    Cost (*cost)(const ConvProblem&) = nullptr;
    LayerForm layer = {};

    bool takes_images() const { return prepare != nullptr; }
};

// The row's own reason, or that it supports no sums over channels. Empty: it can run.
std::string why_cannot(const ConvKernel& row, const ConvProblem& problem, const Device& device);

// Every kernel of this build. A CPU-only build has the CUDA rows too: their why_not explains how to
// get them.
std::span<const ConvKernel> conv_kernels();

// Null if no kernel has that name.
const ConvKernel* find_kernel(std::string_view name);

}  // namespace weft
