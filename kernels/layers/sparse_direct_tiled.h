// Sparse weights as lists of nonzeros, and how the tiled kernel distributes them. No CUDA; internal
// to kernels/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/layers/layer_args.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

// Compressed rows: one for each output channel.
struct SparseRows {
    std::vector<int> begin;        // out_channels + 1
    std::vector<float> values;     // nonzero ones
    std::vector<TapPlace> places;  // stretched column index of each
};

SparseRows sparse_rows(const LayerProblem& problem);

struct SparseArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    const int* begin = nullptr;  // device, as in SparseRows
    const float* values = nullptr;
    const TapPlace* places = nullptr;
    unsigned pixels = 0;        // in all images' output planes
    unsigned pixel_blocks = 0;  // blocks for them
};

// A nonzero weight; `offset` counts floats of a channel chunk's input in shared memory.
struct alignas(8) SparseEntry {
    float value;
    int offset;
};

// A form of the tiled kernel: a lane holds `rows` output channels of `pixels` places of `images`
// neighbouring images; a block is `warps` warps with channels of their own.
struct SparseForm {
    int images, pixels, rows, warps;

    constexpr int block_rows() const { return rows * warps; }
    constexpr int block_pixels() const { return 32 * pixels; }
    bool operator==(const SparseForm&) const = default;
};

// The compiled forms.
constexpr SparseForm kSparseUsual{.images = 4, .pixels = 2, .rows = 4, .warps = 16};
constexpr SparseForm kSparseHigh{.images = 4, .pixels = 3, .rows = 4, .warps = 16};
constexpr SparseForm kSparseThin{.images = 4, .pixels = 2, .rows = 2, .warps = 16};
constexpr SparseForm kSparseFew{.images = 1, .pixels = 2, .rows = 1, .warps = 8};

struct SparseTiledArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* output = nullptr;
    // device: [group][block of rows][chunk], `list_vectors` of 16 bytes each: the start of each
    // row's entries and the end of the last one's, as ints, then from `list_head` on the entries
    const void* lists = nullptr;
    const int* rows = nullptr;  // device: [group][block of rows][slot], output channel or -1
    int list_vectors = 0;
    int list_head = 0;
    int stage_vectors = 0;  // shared memory of a chunk's list and input
    int row_blocks = 1;     // per group
    int chunks = 1;         // of input channels
    int chunk_channels = 1;
    int tile_height = 1, tile_width = 1;  // output pixels of a tile
    int tiles_n = 1, tiles_y = 1, tiles_x = 1;
    int patch_height = 1, patch_width = 1;  // input of a tile, of one channel and image
    int pitch = 1;                          // places per row of it in shared memory
    int patch = 1;                          // floats of one channel, all images
};

struct SparseTiledPlan {
    SparseForm form{};
    SparseTiledArgs args;
    std::vector<std::uint32_t> lists;
    std::vector<int> rows;
    int blocks = 0;
    int shared_bytes = 0;
};

// Empty, or a sentence that gives the reason why the tiled kernel rejects the layer.
std::string why_not_sparse_tiled(const LayerProblem& problem);

// The form that wastes fewest lanes and still makes blocks for every multiprocessor.
SparseForm sparse_form(const LayerProblem& problem);

// Rows are distributed so that all warps have about as many products to compute.
SparseTiledPlan plan_sparse_tiled(const LayerProblem& problem, const SparseForm& form);

// Only products of weights that are not zero.
Cost sparse_layer_cost(const LayerProblem& problem);

// Defined in sparse_direct_tiled.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_sparse(const LayerProblem& problem,
                                                    const Device& device);
std::unique_ptr<PreparedLayer> prepare_layer_sparse_tiled(const LayerProblem& problem,
                                                          const Device& device);

}  // namespace weft
