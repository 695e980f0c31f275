// A layer as im2col and a product with the weights: dense by cuBLAS, sparse by cuSPARSE, the
// baselines of the direct sparse convolution of Fang et al. (2018).
#pragma once

#include <memory>
#include <string>

#include "kernels/layers/layer_kernel.h"

namespace weft::bench {

// Empty, or why the library is unavailable.
const std::string& why_no_cublas();
const std::string& why_no_cusparse();

// f32 nchw. Each throws CudaError or, where the library refuses, std::runtime_error.
std::unique_ptr<PreparedLayer> prepare_cublas(const LayerProblem& problem, const Device& device);
std::unique_ptr<PreparedLayer> prepare_cusparse(const LayerProblem& problem, const Device& device);

}  // namespace weft::bench
