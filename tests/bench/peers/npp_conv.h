// Prepares NPP's filters for problems that their rows accept. Each throws CudaError or, where NPP
// refuses, std::runtime_error with its status.
#pragma once

#include <memory>

#include "kernels/conv_kernel.h"

namespace weft::bench {

using Prepared = std::unique_ptr<PreparedConv>;

Prepared prepare_npp_filter(const ConvProblem& problem, const Device& device);
Prepared prepare_npp_filter_integer(const ConvProblem& problem, const Device& device);
Prepared prepare_npp_row_column(const ConvProblem& problem, const Device& device);
Prepared prepare_npp_gauss_mask(const ConvProblem& problem, const Device& device);
Prepared prepare_npp_gauss(const ConvProblem& problem, const Device& device);
Prepared prepare_npp_box(const ConvProblem& problem, const Device& device);
Prepared prepare_npp_box_advanced(const ConvProblem& problem, const Device& device);
Prepared prepare_npp_sobel(const ConvProblem& problem, const Device& device);

// The dense taps of FilterGaussBorder's mask of that size, measured by filtering a single pixel
// with its f32 form.
Taps npp_gauss_taps(int size);

// The power of two that scales float taps to integers such that sums fit 31 bits.
double npp_integer_scale(const ConvProblem& problem);

}  // namespace weft::bench
