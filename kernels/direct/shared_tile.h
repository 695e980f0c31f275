// The tiles of shared_tile. No CUDA; internal to kernels/.
#pragma once

#include <memory>

#include "kernels/common/direct_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

// Outputs of a thread of shared_tile, kDirectBlockY rows apart, and of its block.
constexpr int kSharedTileOutputs = 4;
constexpr int kSharedTileRows = kSharedTileOutputs * kDirectBlockY;

struct SharedTileArgs {
    DirectArgs direct;
    int pitch = 0;  // floats from row to row of the tile
};

int shared_tile_bytes(const ConvProblem& problem);  // shared memory
TiledLayout<SharedTileArgs> lay_out_shared_tile(const ConvProblem& problem);

// Defined in shared_tile.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_shared_tile(const ConvProblem& problem, const Device& device);

}  // namespace weft
