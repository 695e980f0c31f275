// Arguments and shapes of the tensor core kernels, by value. Internal to kernels/.
#pragma once

#include <cstdint>

#include "filters/operation.h"
#include "kernels/common/conv_args.h"

namespace weft {

// A warp computes 16 rows of 64 samples, eight 16×8 accumulators; a block 32 or 64 rows of 128
// samples. Low blocks fill a multiprocessor more evenly, high ones fetch fewer rows twice.
constexpr int kTensorRows = 16;
constexpr int kTensorTiles = 8;
constexpr int kTensorSamples = 8 * kTensorTiles;
constexpr int kTensorWarpsX = 2;
constexpr int kTensorBlockSamples = kTensorWarpsX * kTensorSamples;
constexpr int kMaxTensorWarpsY = 4;
constexpr int kMaxTensorThreads = 32 * kTensorWarpsX * kMaxTensorWarpsY;

constexpr int kReciprocalBits = 20;

// The part of an image that a block keeps in shared memory: rows of 16-byte chunks, each of eight
// samples in half precision with 128 subtracted.
struct TensorTile {
    int threads = 0;  // per block
    int rows = 0;
    int segments = 0;  // pairs of chunks that are filled in a row
    // item * reciprocal >> kReciprocalBits is item / segments, or item / (segments + 1)
    int segment_reciprocal = 0;
    int vector_reciprocal = 0;
    int row_step = 0;          // whole rows of segments that a block's threads hold
    int vector_step = 0;       // the same for vectors
    int shift_bits = 0;        // amount of the funnel shifts
    int pitch = 0;             // chunks from row to row; odd, so that ldmatrix meets no bank twice
    int left = 0;              // samples of the first chunk's first before the block's first output
    int channel_shift = 0;     // log2 of the interleaved channels
    bool src_aligned = false;  // every row starts at a multiple of 16 bytes
};

struct TensorArgs {
    ConvImages images;
    TensorTile tile;
    const std::uint32_t* bands = nullptr;    // device: B fragments [set][tap row][chunk][lane]
    int tap_rows = 1;                        // tensor_dense only
    int chunks = 1;                          // per tap row's band
    const std::uint32_t* columns = nullptr;  // device: A fragments [chunk][low, high][lane]
    int column_chunks = 0;                   // tensor_separable only
    int sets = 1;
    int block_rows = 0;  // output rows per block
    int tiles_x = 1;     // tiles in a row
    int tiles = 1;
    int blocks = 1;  // each computes every blocks-th tile
    bool magnitude = false;
    bool dst_aligned = false;
    // Taps are multiplied by a factor for their rounding, and 128 is subtracted from the samples:
    // sums start at 128 Σw · factor and are divided by the factor at the end. Per set and channel.
    float start[kMaxTapSets][4] = {};
    float inverse[kMaxTapSets][4] = {};
    float gain[4] = {};  // scale / factor of a single set
};

}  // namespace weft
