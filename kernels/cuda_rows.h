// The CUDA build's functions for the rows of conv_kernels.cpp. Internal to kernels/.
#pragma once

#include <memory>
#include <string>

#include "kernels/conv_kernel.h"

namespace weft {

// Empty in a build with CUDA; otherwise the sentence that all GPU rows and the GPU probe show.
std::string why_no_cuda();
// The same, or that the device is the CPU.
std::string why_no_gpu(const Device& device);

// In a CPU-only build each throws std::runtime_error with why_no_cuda().
std::unique_ptr<PreparedConv> prepare_direct(const ConvProblem& problem, const Device& device);
std::unique_ptr<PreparedConv> prepare_direct_separable(const ConvProblem& problem,
                                                       const Device& device);
std::unique_ptr<PreparedConv> prepare_column_row_reuse(const ConvProblem& problem,
                                                       const Device& device);
std::unique_ptr<PreparedConv> prepare_shared_tile(const ConvProblem& problem, const Device& device);
std::unique_ptr<PreparedConv> prepare_reuse_classic(const ConvProblem& problem,
                                                    const Device& device);
std::unique_ptr<PreparedConv> prepare_sparse_image(const ConvProblem& problem,
                                                   const Device& device);
std::unique_ptr<PreparedConv> prepare_fft(const ConvProblem& problem, const Device& device);
std::unique_ptr<PreparedConv> prepare_box_sum(const ConvProblem& problem, const Device& device);
std::unique_ptr<PreparedConv> prepare_separable_reuse(const ConvProblem& problem,
                                                      const Device& device);
std::unique_ptr<PreparedConv> prepare_tensor_dense(const ConvProblem& problem,
                                                   const Device& device);
std::unique_ptr<PreparedConv> prepare_tensor_int8(const ConvProblem& problem, const Device& device);
std::unique_ptr<PreparedConv> prepare_tensor_separable(const ConvProblem& problem,
                                                       const Device& device);

}  // namespace weft
