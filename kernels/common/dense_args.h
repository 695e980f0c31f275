// Arguments of the kernels that use unmodified taps, by value. Internal to kernels/.
#pragma once

#include <cstddef>

#include "kernels/common/conv_args.h"
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

// Outputs of a thread of shared_tile, kDirectBlockY rows apart, and of its block.
constexpr int kSharedTileOutputs = 4;
constexpr int kSharedTileRows = kSharedTileOutputs * kDirectBlockY;

struct SharedTileArgs {
    DirectArgs direct;
    int pitch = 0;  // floats from row to row of the tile
};

// Warps of a block of column_row_reuse_classic, one below the other, and output rows of each.
constexpr int kClassicWarps = 4;
constexpr int kClassicRows = 8;
constexpr int kClassicColumns = 33;  // taps that a sub-block of 32 columns exchanges

struct ClassicArgs {
    DirectArgs direct;  // tiles_x: sub-blocks of 32 pixels times channels
    PixelType type = PixelType::u8;
};

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

}  // namespace weft
