// Expands a layer's input to the matrix that turns the layer into a matrix product.
#pragma once

#include "kernels/device/device.h"
#include "kernels/layers/layer_args.h"

namespace weft::bench {

// One matrix [in_channels · taps.y · taps.x][out_height · out_width] per image, row-major, f32.
// Asynchronous; throws CudaError.
void im2col(const LayerShape& shape, const float* input, float* columns, StreamView stream);

std::size_t im2col_elements(const LayerProblem& problem);

}  // namespace weft::bench
