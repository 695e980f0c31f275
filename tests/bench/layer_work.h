// One layer of a neural network, measured as a unit.
#pragma once

#include <memory>

#include "kernels/layer_problem.h"
#include "tests/bench/work.h"

namespace weft::bench {

// The input is noise of -1..1 (halves for f16). Tensors are on the GPU in sets of more than 120 MB
// in all; a CPU device gets none, and every contender reports that as its reason. Throws CudaError.
std::unique_ptr<Work> make_layer_work(LayerProblem problem, const Device& device);

}  // namespace weft::bench
