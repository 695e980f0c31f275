// Lists the cases of filtered pictures that the benchmark measures.
#pragma once

#include <vector>

#include "tests/bench/suites.h"

namespace weft::bench {

// At 3840×2160: random dense taps in u8, u16, f32 and RGBA, and the Sobel magnitude.
std::vector<BenchCase> dense_cases();

// At 3840×2160: Gaussians in gray, RGBA and NV12, and boxes.
std::vector<BenchCase> separable_cases();

// At 3840×2160: frames with few taps that are not zero: lines, holes, rings.
std::vector<BenchCase> sparse_tap_cases();

// At 3840×2160: the largest of 16 sums over r, g and b.
std::vector<BenchCase> rgb_bank_cases();

// Pictures, pixels and taps that a generator of random numbers chose, the same for the same seed.
std::vector<BenchCase> random_cases(unsigned seed);

// Small pictures, for any machine.
std::vector<BenchCase> smoke_cases();

}  // namespace weft::bench
