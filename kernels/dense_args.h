// Arguments of the two direct kernels, by value. Internal to kernels/.
#pragma once

#include <cstddef>

#include "kernels/conv_args.h"

namespace weft {

// Threads of a block, along a row and across rows.
constexpr int kDirectBlockX = 32;
constexpr int kDirectBlockY = 8;

struct DirectArgs {
    ConvImages images;
    const float* taps = nullptr;  // device: [set][plane][row][column]
    int channels = 1;
    int sets = 1;
    int planes = 1;  // tap planes of a set: 1 for all channels, or one per channel
    bool magnitude = false;
    int width = 1;  // of the taps
    int height = 1;
    int tiles_x = 1;  // blocks in a row
};

struct SeparableArgs {
    ConvImages images;
    const float* taps = nullptr;  // device: [plane][width row factors, then height column factors]
    float* between = nullptr;     // device: the row pass's result, rows of width * channels
    int channels = 1;
    int planes = 1;
    int width = 1;  // of the taps
    int height = 1;
    int tiles_x = 1;
    float outside[4] = {0, 0, 0, 0};  // per channel: the row pass of a row of border values
};

}  // namespace weft
