// Host-side preparation for the rows that use unmodified taps. No CUDA; internal to kernels/.
#pragma once

#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/common/dense_args.h"

namespace weft {

// Arguments without their pointers, and the data for them.
struct DirectLayout {
    DirectArgs args;
    BorderTables borders;
    std::vector<float> taps;
    bool wide = false;  // sums in double: see rounding.h
    int blocks = 0;
};

// The same for shared_tile and column_row_reuse_classic.
template <class Args>
struct TiledLayout {
    Args args;
    BorderTables borders;
    std::vector<float> taps;
    int blocks = 0;
    int shared_bytes = 0;
};

struct SeparableLayout {
    SeparableArgs args;
    BorderTables borders;
    std::vector<float> taps;
    bool wide = false;  // sums in double
    std::size_t workspace_bytes = 0;
    int blocks = 0;
};

DirectLayout lay_out_direct(const ConvProblem& problem);
int shared_tile_bytes(const ConvProblem& problem);  // shared memory
TiledLayout<SharedTileArgs> lay_out_shared_tile(const ConvProblem& problem);
TiledLayout<ClassicArgs> lay_out_classic(const ConvProblem& problem);
SeparableLayout lay_out_separable(const ConvProblem& problem);

}  // namespace weft
