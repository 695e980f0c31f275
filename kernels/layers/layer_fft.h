// All decisions of the layer form of fft on the host: how planes are cut into tiles, and its
// errors. No CUDA; internal to kernels/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/common/quotient.h"
#include "kernels/layers/layer_args.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

struct FftLayerArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    // device, planes of height rows of width + 2 floats, see TileTransform
    float* inputs = nullptr;              // [tile of the round][input]
    float* outputs = nullptr;             // [tile of the round][output]
    const float* spectra = nullptr;       // weights: [output][input of the group]
    int height = 1, width = 2;            // samples of a tile, width even
    int tile_height = 1, tile_width = 1;  // outputs of a tile
    int tiles_y = 1, tiles_x = 1;
    int tiles = 1;       // over all images
    int first_tile = 0;  // first of the round
    int round_tiles = 1;
    int rows = 1;                       // per group: neighbouring outputs, one row per thread
    Quotient row_samples, row_outputs;  // width, tile_width
};

struct FftLayerPlan {
    FftLayerArgs args;
    int outputs = 1;             // per thread: kFftLayerOutputs, or 1 for depthwise layers
    std::vector<float> weights;  // as in the problem, divided by the samples of a tile
    int tiles_a_round = 1;

    int plane_floats() const { return args.height * (args.width + 2); }
};

constexpr int kFftLayerOutputs = 4;

// How the products of a round are distributed: blocks of rows, then of frequencies, then of tiles.
struct FftProducts {
    int row_blocks = 1;
    int frequency_blocks = 1;
    int blocks = 1;
};

constexpr int kFftFrequencies = 32;  // per block
constexpr int kFftRowWarps = 8;      // per block, one row each
constexpr int kFftLayerTiles = 4;    // per thread

FftProducts fft_products(const FftLayerArgs& args);

// Empty, or a sentence that gives the reason why transforms reject the layer.
std::string why_not_fft_layer(const LayerProblem& problem);

FftLayerPlan plan_fft_layer(const LayerProblem& problem);

// As computed: five real operations for each sample and bit of a transform's length, and eight for
// each product of two complex numbers.
double fft_layer_flops(const LayerProblem& problem);

// Defined in layer_fft.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_fft(const LayerProblem& problem, const Device& device);

}  // namespace weft
