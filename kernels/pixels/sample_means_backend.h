// The two implementations of take_means(), which checks its arguments before it calls them.
#pragma once

#include "kernels/pixels/sample_means.h"

namespace weft {

namespace host_ops {

void take_means(std::span<const MeanPart> parts);

}

namespace device_ops {

// Returns the number of launches. In a CPU-only build it throws std::runtime_error.
int take_means(std::span<const MeanPart> parts, StreamView stream);

}  // namespace device_ops

}  // namespace weft
