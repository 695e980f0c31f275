// Refuses wrong results before anything is timed.
#pragma once

#include <string>

#include "kernels/conv_kernel.h"
#include "kernels/image_view.h"

namespace weft::bench {

// Compares host image `got` with a naive double sum over host image `src` in the corners, along
// the last row and column, and at 20,000 random places. Empty if all lie within the bound of
// `arithmetic`; otherwise where, got and want.
std::string why_wrong(const ConvProblem& problem, Arithmetic arithmetic, const ImageView& src,
                      const ImageView& got);

}  // namespace weft::bench
