// The matrix of a layer's inputs: what makes it a matrix product.
#pragma once

#include "kernels/device.h"
#include "kernels/layer_args.h"

namespace weft::bench {

// For every image one matrix [in_channels · taps.y · taps.x][out_height · out_width], row-major,
// f32. Asynchronous; throws CudaError.
void im2col(const LayerShape& shape, const float* input, float* columns, StreamView stream);

std::size_t im2col_elements(const LayerProblem& problem);

}  // namespace weft::bench
