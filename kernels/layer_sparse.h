// Sparse weights as lists of what is not zero, and how the tiled kernel shares them out. No CUDA;
// internal to kernels/.
#pragma once

#include <string>
#include <vector>

#include "kernels/layer_taps.h"

namespace weft {

// Compressed rows: one for each output channel.
struct SparseRows {
    std::vector<int> begin;        // out_channels + 1
    std::vector<float> values;     // that are not zero
    std::vector<TapPlace> places;  // of each: the stretched column index
};

SparseRows sparse_rows(const LayerProblem& problem);

struct SparseArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    const int* begin = nullptr;  // device, as in SparseRows
    const float* values = nullptr;
    const TapPlace* places = nullptr;
    unsigned pixels = 0;        // of all images' output planes
    unsigned pixel_blocks = 0;  // blocks for them
};

// One that is not zero; `offset` counts elements of the block's input in shared memory.
struct alignas(8) SparseEntry {
    float value;
    int offset;
};

// A block computes 64 output channels, eight a warp, of up to 256 pixels, eight a lane.
constexpr int kSparseWarps = 8;
constexpr int kSparseRows = 8;
constexpr int kSparsePixels = 8;
constexpr int kSparseBlockRows = kSparseWarps * kSparseRows;
constexpr int kSparseBlockPixels = 32 * kSparsePixels;

struct SparseTiledArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    const SparseEntry* entries = nullptr;  // device: [group][block of rows][chunk][slot]
    // device: [group][block of rows][chunk][kSparseBlockRows + 1], where each slot's entries begin
    const int* begin = nullptr;
    const int* rows = nullptr;  // device: [group][block of rows][slot], output channel or -1
    int capacity = 0;           // entries of the fullest block and chunk
    int row_blocks = 1;         // of a group
    int chunks = 1;             // of input channels
    int chunk_channels = 1;
    int images = 1, tile_height = 1, tile_width = 1;  // output pixels of a tile
    int tiles_n = 1, tiles_y = 1, tiles_x = 1;
    int patch_height = 1, patch_width = 1;  // the input that they need, of one channel and image
    int patch = 1;                          // elements of one channel, all images
};

struct SparseTiledPlan {
    SparseTiledArgs args;
    std::vector<SparseEntry> entries;
    std::vector<int> begin;
    std::vector<int> rows;
    int blocks = 0;
    int shared_bytes = 0;
};

// Empty, or why the tiled kernel does not take the layer: a sentence.
std::string why_not_sparse_tiled(const LayerProblem& problem);

// Rows are shared out so that all warps have about as many products to compute.
SparseTiledPlan plan_sparse_tiled(const LayerProblem& problem);

}  // namespace weft
