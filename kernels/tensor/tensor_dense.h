// All decisions of tensor_dense on the host: whether half precision keeps the arithmetic contract
// for a problem, and the layout of its taps in bands. No CUDA; internal to kernels/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "filters/operation.h"
#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"

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
// samples in half precision, less the middle of their range.
struct TensorTile {
    int threads = 0;  // per block
    int rows = 0;
    int segments = 0;  // vectors of samples that a row is filled from, but one
    // item * reciprocal >> kReciprocalBits is item / segments, or item / (segments + 1)
    int segment_reciprocal = 0;
    int vector_reciprocal = 0;
    int row_step = 0;       // whole rows of segments that a block's threads hold
    int vector_step = 0;    // the same for vectors
    int shift_bits = 0;     // amount of the funnel shifts
    int pitch = 0;          // chunks from row to row; odd, so that ldmatrix meets no bank twice
    int left = 0;           // samples of the first chunk's first before the block's first output
    int channel_shift = 0;  // log2 of the interleaved channels
    std::uint32_t middle_of_words = 0;  // of 16-bit samples, see centred_halves_of_words()
    bool src_aligned = false;           // every row starts at a multiple of 16 bytes
};

struct TensorArgs {
    ConvImages images;
    TensorTile tile;
    const std::uint32_t* bands = nullptr;  // device: B fragments [set][tap row][chunk][lane]
    int tap_rows = 1;
    int chunks = 1;  // per tap row's band
    int sets = 1;
    int block_rows = 0;  // output rows per block
    int tiles_x = 1;     // tiles in a row
    int tiles = 1;
    int blocks = 1;  // each computes every blocks-th tile
    bool magnitude = false;
    bool dst_aligned = false;
    // Taps are multiplied by a factor for their rounding, and the middle of their range is
    // subtracted from the samples: sums start at middle Σw · factor and are divided by the factor
    // at the end. Per set and channel.
    float start[kMaxTapSets][4] = {};
    float inverse[kMaxTapSets][4] = {};
    float gain[4] = {};  // scale / factor of a single set
};

// Arguments without their pointers, and the data for them. One block per tile, until the launcher
// knows how many fit on the device at once.
struct TensorLayout {
    TensorArgs args;
    BorderTables borders;
    std::vector<std::uint32_t> bands;
    int shared_bytes = 0;
};

// Chunks of a band that are compiled in; tensor_dense has a loop for wider bands.
constexpr int kMaxUnrolledChunks = 5;

// Empty if the kernel can keep the contract for the problem's type, channels and taps (whole
// numbers stay exact, others are less than half a step of the output off) and its tile fits into
// the shared memory of the device. Otherwise the reason.
std::string why_not_tensor_dense(const ConvProblem& problem, const Device& device);

// The variant for `args.chunks`: 2 to kMaxUnrolledChunks, or 0.
int unrolled_chunks(int chunks);

TensorLayout lay_out_tensor_dense(const ConvProblem& problem, const Device& device);

// A factor for taps that loses little by rounding them to half precision, and the loss.
struct HalfScale {
    float factor = 1.0F;
    double lost = 0;  // half_loss()
};

// Taps that are exact keep a factor of 1; otherwise Σ|w| · factor is at most 256.
HalfScale half_scale(const std::vector<float>& weights);

// Products per sample with the bands of all tap rows, in one plane: eight outputs take as many
// samples as they reach, in parts of eight. `apart`: samples from tap to tap. In half precision,
// the taps of a channel have zeros between them for the others.
double band_products(const ConvProblem& problem, int apart);

// Empty, or a sentence that the GPU has no tensor cores with fp32 sums.
std::string why_no_tensor_cores(const Device& device);

// Defined in tensor_dense.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_tensor_dense(const ConvProblem& problem,
                                                   const Device& device);

}  // namespace weft
