// The convolutions that weft-bench times.
#pragma once

#include <string>
#include <vector>

#include "kernels/conv_problem.h"

namespace weft::bench {

struct BenchCase {
    std::string name;  // "u8 gray 5×5"
    ConvProblem problem;
};

// All at 3840×2160: random dense taps in u8, u16, f32 and RGBA, the Sobel magnitude, and Gaussians
// for the rows that take factors.
std::vector<BenchCase> bench_cases();

}  // namespace weft::bench
