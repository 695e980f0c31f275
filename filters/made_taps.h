// Makes taps from functions, and the factors of matrices of rank one.
#pragma once

#include <functional>
#include <vector>

#include "filters/taps.h"

namespace weft {

// Samples weight(x, y) for |x|, |y| <= kMaxDense / 2 around the anchor and drops outer rows and
// columns of zeros, evenly on both sides so that the anchor stays the centre. A single row or
// column also carries its factors. weight(0, 0) must not be 0.
Taps sampled_taps(const std::function<double(int x, int y)>& weight);

// The same, divided by the sum in double.
Taps normalized_taps(const std::function<double(int x, int y)>& weight);

// 2 * radius + 1 samples of exp(-x² / 2σ²), normalised to sum 1 in double. sigma = 0 gives a 1 in
// the middle. sigma >= 0, radius >= 0.
std::vector<double> gaussian_samples(double sigma, int radius);

// The Gaussian of these standard deviations by its factors, with the promise that they stand for it
// (see Taps): the radii must be as large as the caller's definition demands. sigma >= 0.
Taps gaussian_taps(double sigma_x, double sigma_y, int radius_x, int radius_y);

// `taps` with row and column filled in if the weights are of rank one up to one float rounding
// each. Whole-number weights get whole-number factors, so that sums stay exact. Otherwise `taps`
// as it is. All-zero weights have no factors.
Taps with_factors(Taps taps);

}  // namespace weft
