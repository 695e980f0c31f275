// The kernels for layers of neural networks, which `weft bench` races with cuDNN, and their list.
// No kernel for images needs them; a few of them also filter images, by image_layer.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/conv_kernel.h"
#include "kernels/layer_problem.h"

namespace weft {

// A kernel made ready for one layer on one device, as PreparedConv is for images.
class PreparedLayer {
 public:
    PreparedLayer() = default;
    PreparedLayer(const PreparedLayer&) = delete;
    PreparedLayer& operator=(const PreparedLayer&) = delete;
    virtual ~PreparedLayer() = default;

    // Reads `input`, writes every element of `output` and nothing else: dense tensors of the
    // problem's layout and type in the kernel's memory space, aligned to 16 bytes, that do not
    // overlap. Device kernels return at once, ordered on `stream`. Throws CudaError or
    // std::runtime_error.
    virtual void launch(const void* input, void* output, StreamView stream) = 0;
};

// Sums are fp32 in any order, or from tensor cores: an output errs by at most γ_n Σ|w x|, ε =
// 2^-23, n = sum_length(), half a step of f16; for fourier see layer_fft.cuh.
struct LayerKernel {
    std::string_view name;  // stable id, that of the ConvKernel with the same idea
    MemorySpace space = MemorySpace::device;
    Arithmetic arithmetic = Arithmetic::fp32;
    // The kernel's own reason, as in ConvKernel. Call why_cannot().
    std::string (*why_not)(const LayerProblem&, const Device&) = nullptr;
    // Null in a CPU-only build.
    std::unique_ptr<PreparedLayer> (*prepare)(const LayerProblem&, const Device&) = nullptr;
    Cost (*cost)(const LayerProblem&) = nullptr;
};

// Empty, or why the kernel cannot run, which may lack CUDA or a GPU or have a reason of its own.
std::string why_cannot(const LayerKernel& kernel, const LayerProblem& problem,
                       const Device& device);

// Every kernel for layers.
std::span<const LayerKernel> layer_kernels();

// Null if no kernel for layers has that name.
const LayerKernel* find_layer_kernel(std::string_view name);

}  // namespace weft
