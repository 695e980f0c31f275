// Kernels as users name them.
#pragma once

#include <string>

#include "app/pipeline/chain_plan.h"
#include "kernels/conv_kernel.h"

namespace weft {

// Throws Error(usage) with the nearest name and the list for a name that no row has.
const ConvKernel& require_kernel(const std::string& name);

// "direct" is for every step, "direct,,fft" for the first and the third of three. Throws as
// require_kernel() does.
ForcedKernels parse_forced_kernels(std::string_view text);

}  // namespace weft
