// Layers with few input channels, such as a bank of filters over RGB: how the two kernels for them
// cut a layer into tiles. A variant of implicit_gemm. No CUDA; internal to kernels/.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/layers/layer_args.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

constexpr int kBankMaps = 16;  // output channels per block

// f32, nchw: a warp computes a row of 256 pixels, each lane two runs of four.
constexpr int kBankWarps = 4;
constexpr int kBankRun = 4;
constexpr int kBankHalf = 32 * kBankRun;
constexpr int kBankPixels = 2 * kBankHalf;

// The runs of four input elements that overlap a run of outputs.
constexpr int bank_window(int taps) {
    return (kBankRun + taps - 1 + 3) / 4;
}

// f16, nhwc: a warp computes two rows of 64 pixels.
constexpr int kHalfBankWarps = 8;
constexpr int kHalfBankRows = 2;                      // per warp
constexpr int kHalfBankTiles = 4;                     // of 16 pixels, per row of a warp
constexpr int kHalfBankPixels = 16 * kHalfBankTiles;  // per block
constexpr int kHalfBankHeight = kHalfBankRows * kHalfBankWarps;
constexpr int kMostChunks = 3;  // of four taps: 12 taps per row

struct BankArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    // device, zeros for missing maps, channels and taps:
    //   f32  [tile of maps][channel][y][x][map]
    //   f16  [tile of maps][y][chunk of four taps][lane][8 halves]: the fragments of B for mma, of
    //        two tiles of eight maps; lane 4 g + q holds the results of maps 4 q .. 4 q + 3
    const void* weights = nullptr;
    int weight_vectors = 0;  // of 16 bytes, per tile of maps
    int tiles_x = 1, tiles_y = 1, map_tiles = 1;
    int tile_rows = 1;           // input rows
    bool whole_vectors = false;  // runs of outputs are aligned, and whole or absent
};

struct BankPlan {
    BankArgs args;
    int chunks = 0;                     // f16: of four taps, 1..kMostChunks
    std::vector<float> weights;         // f32
    std::vector<std::uint16_t> halves;  // f16
    int blocks = 0;
    int shared_bytes = 0;
};

// One group of 1 to 4 channels, stride and dilation 1, planes at least 48 pixels wide; f32 in nchw
// with 3, 5, 7, 9 or 11 taps a row, or f16 in nhwc with up to 12.
bool takes_bank(const LayerProblem& problem);

// For a layer that takes_bank().
BankPlan plan_bank(const LayerProblem& problem);

// For a layer that takes_bank(); prepare_layer_gemm() chooses it. Defined in
// implicit_gemm_bank.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_bank(const LayerProblem& problem,
                                                  const Device& device);

}  // namespace weft
