// The sub-blocks of column_row_reuse_classic. No CUDA; internal to kernels/.
#pragma once

#include <memory>

#include "kernels/common/direct_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

// Warps of a block of column_row_reuse_classic, one below the other, and output rows of each.
constexpr int kClassicWarps = 4;
constexpr int kClassicRows = 8;
constexpr int kClassicColumns = 33;  // taps that a sub-block of 32 columns exchanges

struct ClassicArgs {
    DirectArgs direct;  // tiles_x: sub-blocks of 32 pixels times channels
    PixelType type = PixelType::u8;
};

TiledLayout<ClassicArgs> lay_out_classic(const ConvProblem& problem);

// Defined in column_row_reuse_classic.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_reuse_classic(const ConvProblem& problem,
                                                    const Device& device);

}  // namespace weft
