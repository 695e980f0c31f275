// Layers as a product of matrices: output channels × pixels = weights × gathered input. Host-side
// preparation for the kernels of implicit_gemm and im2col_gemm. No CUDA; internal to kernels/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/layers/layer_args.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

struct GemmArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    // device: f32 [group][k][row], f16 [group][row][k] in halves; zeros fill whole tiles
    const void* weights = nullptr;
    const TapPlace* places = nullptr;  // device: `depth` of them
    int depth = 0;                     // products per output, filled up to whole tiles
    int used_depth = 0;                // without the padding
    int rows = 0;                      // output channels of a group, filled up to whole tiles
    int row_tiles = 1, pixel_tiles = 1;
    unsigned pixels = 0;  // in all images' output planes
    // Blocks share the depth where tiles leave multiprocessors idle: each of `splits` computes the
    // sums of `split_depth` products, which are added up afterwards.
    int splits = 1;
    int split_depth = 0;
    float* partial = nullptr;  // device: [split][out channel][pixel]; null without splits
};

// A tile of the output, and the depth of the slices that pass through shared memory.
struct GemmTile {
    int rows, pixels, depth;
};

constexpr GemmTile kGemmWide{64, 128, 8};    // fp32
constexpr GemmTile kGemmNarrow{32, 64, 8};   // fp32, where wide tiles leave multiprocessors idle
constexpr GemmTile kGemmHigh{128, 128, 32};  // tensor cores
constexpr GemmTile kGemmFlat{64, 64, 32};    // tensor cores, for few channels or pixels

struct GemmPlan {
    GemmArgs args;
    GemmTile tile{};
    bool vectors = false;        // f16 in nhwc: eight neighbouring products are eight channels
    std::vector<float> weights;  // f32
    std::vector<std::uint16_t> halves;  // f16
    std::vector<TapPlace> places;
    int blocks = 0;  // per split

    // Elements of args.partial.
    std::size_t partial_sums() const;
};

GemmPlan plan_gemm(const LayerProblem& problem, int multiprocessors);

// Defined in implicit_gemm.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_gemm(const LayerProblem& problem,
                                                  const Device& device);

}  // namespace weft
