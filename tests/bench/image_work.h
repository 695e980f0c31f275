// Filtering the planes of one picture, measured as a unit.
#pragma once

#include <memory>
#include <vector>

#include "kernels/conv_problem.h"
#include "tests/bench/work.h"

namespace weft::bench {

// `planes`: one problem each (NV12 has two), filtered one after the other. Sources are full-range
// noise, f32 in 0..1. A GPU holds the images in sets of more than 120 MB in all; the host holds
// them too, for host kernels. Throws CudaError, std::bad_alloc.
std::unique_ptr<Work> make_image_work(std::vector<ConvProblem> planes, const Device& device);

}  // namespace weft::bench
