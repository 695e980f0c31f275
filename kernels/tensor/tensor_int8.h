// All decisions of tensor_int8 on the host: taps as signed bytes, and their layout in bands. No
// CUDA; internal to kernels/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/tensor/tensor_dense.h"

namespace weft {

// A block of four warps computes 256 samples of each of its rows; a warp computes whole rows. A row
// has 32 windows of eight outputs, and four lanes share a window. One product of matrices takes
// every second window: rows 0 to 7 of its matrix A are windows 0, 2 … 14, in the first 128 samples,
// and rows 8 to 15 are windows 16, 18 … 30, in the second. Lane l so reads word l of either half,
// and finds the windows in between two words later.
constexpr int kInt8Warps = 4;
constexpr int kInt8Threads = 32 * kInt8Warps;
constexpr int kInt8Samples = 256;

// With three or four channels, a block computes 64 pixels, whose channels it separates in shared
// memory. A row of one channel then has eight windows, and A's 16 rows are the windows of two rows
// of the image. Two channels, and taps up to three wide, are filtered as one channel, with zeros
// between the taps.
constexpr int kInt8Pixels = 64;

// More do not fit into the 32 vectors of a row that the lanes of a warp copy.
constexpr int kMaxSeparatedWidth = 49;

// Samples of a row that a block computes; `channels`: separated ones, or 1.
constexpr int int8_samples(int channels) {
    return channels > 1 ? kInt8Pixels * channels : kInt8Samples;
}

// Pixels of a separated channel in a row of shared memory, for windows of so many parts of 8 bytes.
constexpr int int8_row_pixels(int halves) {
    return kInt8Pixels - 8 + 8 * halves;
}

// The same for device code.
template <int kChannels>
constexpr int kInt8BlockSamples = int8_samples(kChannels);
template <int kHalves>
constexpr int kInt8RowPixels = int8_row_pixels(kHalves);

// Bytes of one store of the kernel, to which the destination's rows must be aligned. `channels` is
// meant as above.
constexpr int int8_store(int channels) {
    return channels == 4 ? 8 : 4;
}

// Rows that a warp and a block compute in one step. A block takes several steps, one below the
// other. All of its input has a place of its own in shared memory, so that no copy waits for a free
// place.
constexpr int kInt8Rows = 4;
constexpr int kInt8StepRows = kInt8Warps * kInt8Rows;

// Steps whose copies are in flight while one is computed.
constexpr int kInt8Ahead = 3;

// Tap rows that stay in registers, and taps of a row whose window for eight outputs is 16 bytes.
constexpr int kInt8NarrowTaps = 9;
constexpr int kInt8TapWords = 8;   // per tap row in the arguments, zero except the taps
constexpr int kInt8FirstTap = 12;  // its byte: lanes read from 10 before it to 12 after

// Of wide taps, the kernel takes this many tap rows at a time, the last of them filled up with
// zeros, and at most this many 8-byte parts of a window.
constexpr int kInt8GroupRows = 4;
constexpr int kMaxInt8Halves = 10;

// How a sample comes from its sums.
//   whole            the taps are whole numbers up to ±127
//   fraction         the taps are fractions in steps of 1/16319 of the largest; one plane holds
//                    their upper eight bits, another their lower seven
//   magnitude        two sets of whole numbers
//   plain_magnitude  the same with a scale of 1 and no bias. The root of a whole number is at least
//                    2^-11 from the middle between two bytes, so that an approximate root, whose
//                    error is below 2^-15, gives the same byte.
enum class Int8Sums : std::uint8_t { whole, fraction, magnitude, plain_magnitude };

template <Int8Sums kSums>
constexpr int kInt8Planes = kSums == Int8Sums::whole ? 1 : 2;

// A block's part of the image in shared memory, in rows of vectors of 16 bytes. A row begins at the
// last multiple of 16 that is not after the first required sample.
struct Int8Tile {
    int rows = 0;            // in the first step; each further one needs kInt8StepRows more
    int segments = 0;        // 16 bytes each, from the first required sample on
    int vectors = 0;         // of a row
    int left = 0;            // samples before a window's first output; a multiple of 4
    int end_lanes_log2 = 0;  // lanes of a warp for the columns of a row beyond the image
    bool src_aligned = false;
};

// Most entries of the tables in Int8Args that say where samples beyond the image come from, as
// border_table() does. The blocks at the image's ends would wait for tables in memory.
constexpr int kMaxInt8Ends = 64;
constexpr int kMaxInt8EndSamples = 4 * (kMaxSeparatedWidth - 1) + 1;

struct Int8Args {
    // dst: rows at multiples of int8_store(); the axes' tables are ends_x and ends_y, x has samples
    ConvImages images;
    Int8Tile tile;
    int steps = 1;  // per block
    // device: B fragments of wide taps, [group][multiplication][lane][plane][chunk]
    const std::uint32_t* bands = nullptr;
    int tap_groups = 0;
    float gain = 1.0F;  // factor of the sum in units of the upper plane's step
    float bias = 0.0F;  // for fractions minus the start values of the sums
    std::uint32_t taps[2][kInt8NarrowTaps][kInt8TapWords] = {};  // [plane][row], narrow taps
    int ends_x[kMaxInt8EndSamples] = {};
    int ends_y[kMaxInt8Ends] = {};
};

// The bits of the float 1.5 · 2^23: integer sums below 2^22 that start here are the low bits of a
// float, and need no conversion.
constexpr int kInt8Start = 0x4B400000;
constexpr float kInt8Magic = 12582912.0F;

// The upper plane's step is 2^7 of the lower's.
constexpr int kInt8PlaneBits = 7;
constexpr float kInt8LowerStep = 1.0F / 128.0F;

// Taps as whole numbers: a tap is (128 · upper + lower) · unit / 128, with `lower` in -64..63. Taps
// that are whole numbers up to ±127 have a unit of 1 and no lower part.
struct ByteTaps {
    std::vector<std::int8_t> upper;  // row-major, as the taps
    std::vector<std::int8_t> lower;  // empty for whole numbers
    double unit = 1.0;               // step of a sum of `upper`
    double error = 0.0;  // largest error of a sum over bytes, the rounding of lower sums included
};

// `scale` multiplies sums at the end: units are chosen so that unit · scale has eleven significant
// bits, and its product with kInt8Magic is exact. The sum of |upper| never exceeds 16448, so that
// sums stay below 2^22.
ByteTaps byte_taps(const std::vector<float>& weights, float scale);

// Whether channels are filtered one by one, or as one channel with zeros between the taps.
bool separates_channels(const ConvProblem& problem);

// Whether the rows of taps are short enough.
bool fits_int8_rows(const ConvProblem& problem);

// Empty if the kernel can keep the contract: whole numbers stay exact, others are within the bound
// of Arithmetic::half_taps and less than half a step of the output off. Otherwise the reason.
std::string why_not_tensor_int8(const ConvProblem& problem);

// Arguments without their pointers, and the data for them.
struct Int8Layout {
    Int8Args args;
    std::vector<std::uint32_t> bands;  // wide taps
    Int8Sums sums = Int8Sums::whole;
    int channels = 1;  // 3 or 4: separated; 1: filtered as one
    // The variant; one of the two is not zero. Narrow taps have 3, 5, 7 or 9 rows, those of
    // separated channels at least 5. Wide taps have windows of 3, 4, 5, 6, 8 or 10 parts of 8
    // bytes, those of separated channels at most 8.
    int narrow_rows = 0;
    int halves = 0;
    int tiles_x = 1;
    int steps_y = 1;  // in the image
};

Int8Layout lay_out_tensor_int8(const ConvProblem& problem);

// Dynamic shared memory of blocks that compute so many steps.
int shared_bytes(const Int8Layout& layout, int steps);

struct Int8Room {
    int multiprocessors = 1;
    std::function<int(int)> resident_blocks;  // per multiprocessor, of so many bytes each; or 0
};

// Steps per block with which the fullest multiprocessor takes least time. As many blocks stay
// resident as with the fewest steps.
int best_steps(const Int8Layout& layout, const Int8Room& room);

// In tensor_int8.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_tensor_int8(const ConvProblem& problem, const Device& device);

}  // namespace weft
