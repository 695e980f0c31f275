// All decisions of the layer form of shared_tile on the host. No CUDA; internal to kernels/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/common/quotient.h"
#include "kernels/layers/layer_args.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

struct TileLayerArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    // device: [row][input][y][x][output of the row], zeros fill the last row of a group
    const float* weights = nullptr;
    int rows = 1;                         // per group: neighbouring outputs, one row per thread
    int row_blocks = 1;                   // per group
    int chunk = 1;                        // input channels in shared memory at once
    int tile_height = 1, tile_width = 1;  // outputs
    int tiles_y = 1, tiles_x = 1;
    int patch_height = 1, patch_width = 1;  // input of a tile
    int pixel_warps = 1;                    // per block, for the pixels of the tile
    int row_warps = 1;                      // times as many, for rows
    // Divisors that locate a thread's element of a chunk: nchw patch and its width; nhwc
    // patch_width · chunk and chunk.
    Quotient outer, inner;
};

// A form of the kernel: a thread computes `outputs` channels of `pixels` places.
struct TileLayerForm {
    int outputs, pixels;

    bool operator==(const TileLayerForm&) const = default;
};

// The compiled forms.
constexpr TileLayerForm kTileLayerOne{.outputs = 1, .pixels = 4};
constexpr TileLayerForm kTileLayerFour{.outputs = 4, .pixels = 4};
constexpr int kTileLayerWarps = 8;  // most warps per block

struct TileLayerPlan {
    TileLayerForm form{};
    TileLayerArgs args;
    std::vector<float> weights;
    int blocks = 0;
    int shared_bytes = 0;

    int warps() const { return args.pixel_warps * args.row_warps; }
};

// Empty, or a sentence that one channel's input for one output does not fit into shared memory of
// `most_shared_bytes`.
std::string why_no_tile_layer(const LayerProblem& problem, int most_shared_bytes);

TileLayerPlan plan_tile_layer(const LayerProblem& problem, int most_shared_bytes);

// Defined in layer_shared_tile.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_shared_tile(const LayerProblem& problem,
                                                         const Device& device);

}  // namespace weft
