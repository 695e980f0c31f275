// Host-side preparation for separable_reuse. No CUDA; internal to kernels/.
#pragma once

#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/separable/fused_args.h"

namespace weft {

// Arguments without their pointers, and the data for them.
struct FusedLayout {
    FusedArgs args;
    BorderTables borders;
    std::vector<float> taps;
    int blocks = 0;
    int shared_bytes = 0;
};

// For one tap set whose factors are known. Empty if a block of the device has the shared memory for
// the sums of a row. Otherwise the reason.
std::string why_not_fused(const ConvProblem& problem, const Device& device);

FusedLayout lay_out_fused(const ConvProblem& problem, const Device& device);

}  // namespace weft
