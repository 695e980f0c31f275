// The nonzero taps of an image as lists, and the tiles that they are summed from. No CUDA; internal
// to kernels/.
#pragma once

#include <memory>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

// A nonzero tap. `offset` counts 32-bit words of the tile from an output's own word.
struct alignas(8) SparseTap {
    float value;
    int offset;
};

// A lane computes four samples of each of four rows at a time, a warp 128 of them.
constexpr int kSparseStrip = 128;
constexpr int kSparseStripRows = 4;
constexpr int kSparseImageWarps = 8;
constexpr int kSparseImageRows = kSparseStripRows * kSparseImageWarps;

// Taps one below the other that share the samples they meet, the longest first.
constexpr int kSparseRuns[] = {4, 2, 1};
constexpr int kSparseRunLengths = 3;

struct SparseImageArgs {
    ConvImages images;
    const SparseTap* taps = nullptr;  // device: [set][plane][length of run][run][from the top]
    int begin[4 * kMaxTapSets * kSparseRunLengths + 1] = {};
    int channels = 1;
    int together = 1;  // channels side by side in a tile: all, or one with a block each
    int sets = 1;
    int planes = 1;  // tap planes per set: 1 for all channels, or one per channel
    bool magnitude = false;
    int left = 0;  // pixels and rows of a tile before its first output
    int top = 0;
    int tile_rows = 0;
    int words = 0;  // per row of the tile, one copy of it
    int pitch = 0;  // words from row to row
    int tiles_x = 1;
    bool src_words = false;  // every row starts at a multiple of 4 bytes
};

struct SparseImageLayout {
    SparseImageArgs args;
    BorderTables borders;
    std::vector<SparseTap> taps;
    int blocks = 0;
    int shared_bytes = 0;
};

// 8-bit samples are in a tile as pairs, twice (sparse_direct.cuh).
constexpr int samples_per_word(PixelType type) {
    return type == PixelType::u8 ? 2 : 1;
}

int sparse_image_bytes(const ConvProblem& problem);  // shared memory
SparseImageLayout lay_out_sparse_image(const ConvProblem& problem);

// Defined in sparse_direct.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_sparse_image(const ConvProblem& problem,
                                                   const Device& device);

}  // namespace weft
