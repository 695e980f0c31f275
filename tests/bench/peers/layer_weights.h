// Weights in the layouts that libraries expect.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/layer_problem.h"

namespace weft::bench {

// Elements of the problem's type: [out][in][y][x] for nchw, [out][y][x][in] for nhwc.
std::vector<std::byte> weights_in_layout(const LayerProblem& problem);

}  // namespace weft::bench
