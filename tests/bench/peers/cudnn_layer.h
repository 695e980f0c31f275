// cuDNN's convolution of a layer, by its C interface.
#pragma once

#include <memory>
#include <string>

#include "kernels/layers/layer_kernel.h"

namespace weft::bench {

// Selects cuDNN's algorithm.
enum class CudnnChoice {
    heuristic,              // the first choice of its heuristics
    fastest,                // timed by cuDNN itself on this layer
    implicit_gemm,          // by name
    implicit_precomp_gemm,  // by name
};

// Empty, or why cuDNN is unavailable.
const std::string& why_no_cudnn();

// `tf32`: f32 products may be rounded to TF32. Throws CudaError or, where cuDNN refuses,
// std::runtime_error. Its note() names the algorithm.
std::unique_ptr<PreparedLayer> prepare_cudnn(const LayerProblem& problem, const Device& device,
                                             CudnnChoice choice, bool tf32);

// The same by the graph API, in cudnn_graph.cu: the fastest engine of its heuristics' first ten,
// timed on this layer. It does not rank all algorithms of the legacy functions: on an H100 it takes
// three times as long in f32 layers of AlexNet as they took on an H200.
std::unique_ptr<PreparedLayer> prepare_cudnn_graph(const LayerProblem& problem,
                                                   const Device& device, bool tf32);

}  // namespace weft::bench
