// Kernels as users name them.
#pragma once

#include <string>

#include "kernels/conv_kernel.h"

namespace weft {

// Throws Error(usage) with the nearest name and the list for a name that no row has.
const ConvKernel& require_kernel(const std::string& name);

}  // namespace weft
