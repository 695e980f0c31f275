// The two passes of direct_separable. No CUDA; internal to kernels/.
#pragma once

#include <memory>
#include <vector>

#include "kernels/common/direct_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

struct SeparableArgs {
    ConvImages images;
    const float* taps = nullptr;  // device: [plane][width row factors, then height column factors]
    void* between = nullptr;      // device: sums of the row pass, rows of width * channels
    int channels = 1;
    int planes = 1;
    int width = 1;  // taps per row
    int height = 1;
    int tiles_x = 1;
    double outside[4] = {0, 0, 0, 0};  // per channel: the row pass of a row of border values
};

struct SeparableLayout {
    SeparableArgs args;
    BorderTables borders;
    std::vector<float> taps;
    bool wide = false;  // sums in double
    std::size_t workspace_bytes = 0;
    int blocks = 0;
};

SeparableLayout lay_out_separable(const ConvProblem& problem);

// Defined in direct_separable.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_direct_separable(const ConvProblem& problem,
                                                       const Device& device);

}  // namespace weft
