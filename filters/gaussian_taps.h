// Samples of the Gaussian bell, shared by the filters that are built from it.
#pragma once

#include <vector>

#include "filters/frame_info.h"

namespace weft {

// 2 * radius + 1 samples of exp(-x² / 2σ²), normalised to sum 1 in double. sigma = 0 gives a 1 in
// the middle. sigma >= 0, radius >= 0.
std::vector<double> gaussian_samples(double sigma, int radius);

// The radius where the bell is cut: ceil(3σ) at 8 bits, where the rest (0.27 %) is under one level,
// and ceil(4σ) above and in float (0.006 %).
int gaussian_radius(double sigma, const FrameInfo& info);

}  // namespace weft
