// Arguments and host-side preparation of the kernels that use unmodified taps. No CUDA; internal to
// kernels/.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/image_view.h"

namespace weft {

// Threads of a block, along a row and across rows.
constexpr int kDirectBlockX = 32;
constexpr int kDirectBlockY = 8;

struct DirectArgs {
    ConvImages images;
    const float* taps = nullptr;  // device: [set][plane][row][column]
    int channels = 1;
    int out_channels = 1;  // 1: sums run over all channels
    int sets = 1;
    int planes = 1;  // tap planes per set: 1 for all channels, or one per channel
    bool magnitude = false;
    int width = 1;  // taps per row
    int height = 1;
    int tiles_x = 1;  // blocks in a row
};

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

DirectLayout lay_out_direct(const ConvProblem& problem);

}  // namespace weft
