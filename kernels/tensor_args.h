// Arguments and shapes of the tensor core kernels, by value. Internal to kernels/.
#pragma once

#include <cstdint>

#include "kernels/conv_args.h"

namespace weft {

// A warp computes 16 rows of 64 samples, eight 16×8 accumulators; a block 64 rows of 128 samples.
constexpr int kTensorRows = 16;
constexpr int kTensorTiles = 8;
constexpr int kTensorSamples = 8 * kTensorTiles;
constexpr int kTensorWarpsX = 2;
constexpr int kTensorWarpsY = 4;
constexpr int kTensorThreads = 32 * kTensorWarpsX * kTensorWarpsY;
constexpr int kTensorBlockSamples = kTensorWarpsX * kTensorSamples;
constexpr int kTensorBlockRows = kTensorWarpsY * kTensorRows;

constexpr int kReciprocalBits = 20;
constexpr int kTensorGridY = 32768;  // a grid's y takes 65,535

// The part of an image that a block keeps in shared memory: rows of 16-byte chunks, each of eight
// samples in half precision with 128 subtracted.
struct TensorTile {
    int rows = 0;
    int segments = 0;            // pairs of chunks that are filled in a row
    int segment_reciprocal = 0;  // item * this >> kReciprocalBits is item / segments
    int pitch = 0;             // chunks from row to row; odd, so that ldmatrix meets no bank twice
    int left = 0;              // samples of the first chunk's first before the block's first output
    int channel_shift = 0;     // log2 of the interleaved channels
    bool src_aligned = false;  // every row starts at a multiple of 16 bytes
};

struct TensorArgs {
    ConvImages images;
    TensorTile tile;
    const std::uint32_t* bands = nullptr;    // device: B fragments [set][tap row][chunk][lane]
    int tap_rows = 1;                        // of tensor_dense
    int chunks = 1;                          // of a tap row's band
    const std::uint32_t* columns = nullptr;  // device: A fragments [chunk][low, high][lane]
    int column_chunks = 0;                   // of tensor_separable
    int sets = 1;
    bool magnitude = false;
    bool dst_aligned = false;
    // Taps are multiplied by a factor for their rounding, and 128 is taken off the samples: sums
    // start at 128 Σw · factor and are divided by the factor at the end. Per set and channel.
    float start[8][4] = {};
    float inverse[8][4] = {};
    float gain[4] = {};  // scale / factor of a single set
};

}  // namespace weft
