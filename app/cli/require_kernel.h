// Kernels by the names that users give.
#pragma once

#include <string>

#include "app/pipeline/stack/stack_plan.h"
#include "kernels/conv_kernel.h"

namespace weft {

// Throws Error(usage) with the nearest name and the list for an unknown name.
const ConvKernel& require_kernel(const std::string& name);

// "direct" applies to every step, "direct,,fft" to the first and the third of three. Throws like
// require_kernel().
ForcedKernels parse_forced_kernels(std::string_view text);

}  // namespace weft
