// cuDNN's convolution of a layer, as a graph of one operation.
#pragma once

#include <memory>
#include <string>

#include "kernels/conv_kernel.h"

namespace weft::bench {

// Selects cuDNN's engine.
enum class CudnnChoice {
    heuristic,  // the first choice of its heuristics
    fastest,    // of the first ten of its heuristics, timed on this layer
};

// Empty, or why cuDNN is unavailable.
const std::string& why_no_cudnn();

// `tf32`: f32 products may be rounded to TF32. Throws CudaError or, where cuDNN refuses,
// std::runtime_error. Its note() names the engine.
std::unique_ptr<PreparedLayer> prepare_cudnn(const LayerProblem& problem, const Device& device,
                                             CudnnChoice choice, bool tf32);

}  // namespace weft::bench
