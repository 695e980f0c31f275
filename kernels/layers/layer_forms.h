// The layer forms of the rows in conv_kernels.cpp. Internal to kernels/.
#pragma once

#include <memory>

#include "kernels/conv_kernel.h"

namespace weft {

LayerForm direct_layer_form();
LayerForm depthwise_layer_form();  // column_row_reuse
LayerForm gemm_layer_form();       // implicit_gemm
LayerForm im2col_layer_form();     // im2col_gemm
LayerForm sparse_layer_form();
LayerForm sparse_tiled_layer_form();
LayerForm shared_tile_layer_form();
LayerForm fft_layer_form();

// In a CPU-only build each throws std::runtime_error with why_no_cuda().
std::unique_ptr<PreparedLayer> prepare_layer_direct(const LayerProblem& problem,
                                                    const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_depthwise(const LayerProblem& problem,
                                                       const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_gemm(const LayerProblem& problem,
                                                  const Device& device);
// For layers that takes_bank(): prepare_layer_gemm() chooses it.
std::unique_ptr<PreparedLayer> prepare_layer_bank(const LayerProblem& problem,
                                                  const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_im2col(const LayerProblem& problem,
                                                    const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_sparse(const LayerProblem& problem,
                                                    const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_sparse_tiled(const LayerProblem& problem,
                                                          const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_fft(const LayerProblem& problem, const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_shared_tile(const LayerProblem& problem,
                                                         const Device& device);

}  // namespace weft
