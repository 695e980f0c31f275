// Arguments and shapes of tensor_int8, by value. Internal to kernels/.
#pragma once

#include <cstdint>

#include "kernels/tensor_args.h"

namespace weft {

// A block of four warps computes 256 samples of `block_rows` rows, a warp whole rows. A row is 32
// windows of eight outputs, four lanes to a window: A's rows are every second window of the first
// 128 samples, then of the second, so that lane l reads word l of each, and the windows between
// are the same two words on.
constexpr int kInt8Warps = 4;
constexpr int kInt8Threads = 32 * kInt8Warps;
constexpr int kInt8Samples = 256;

// Tap rows that stay in registers, and taps of a row whose window for eight outputs is 16 bytes.
constexpr int kInt8NarrowTaps = 9;
constexpr int kInt8TapWords = 8;   // of a tap row in the arguments, zero but for the taps
constexpr int kInt8FirstTap = 12;  // its byte: lanes read from 10 before it to 12 after

// Rows of a tile that a warp computes: with nine tap rows six, so that fewer rows are read twice;
// otherwise four, so that blocks find time to fetch.
constexpr int int8_narrow_rows(int tap_rows) {
    return tap_rows > 7 ? 6 : 4;
}
template <int kTapRows>
constexpr int kInt8NarrowRows = int8_narrow_rows(kTapRows);

// The same of wide taps, whose bands are read once for several rows; and 16-byte chunks of a
// window of 16 outputs, at most.
constexpr int kInt8WideRows = 8;
constexpr int kInt8RowsAtOnce = 4;
constexpr int kMaxInt8Chunks = 5;

// How a sample comes from its sums. Taps are whole numbers up to ±127; or fractions in steps of
// 1/16319 of the largest, the upper eight bits and the lower seven in a plane each; or two sets of
// whole numbers.
enum class Int8Sums : std::uint8_t { whole, fraction, magnitude };

template <Int8Sums kSums>
constexpr int kInt8Planes = kSums == Int8Sums::whole ? 1 : 2;

struct Int8Args {
    ConvImages images;
    TensorTile tile;                       // of bytes: rows of segments + 1 vectors
    const std::uint32_t* bands = nullptr;  // device: B fragments of wide taps
    int tap_rows = 1;                      // a warp of wide taps reads bands [row][odd][lane]
    int block_rows = 0;
    int tiles_y = 1;
    int blocks_y = 1;  // each computes every blocks_y-th tile of its column
    bool dst_aligned = false;
    float gain = 1.0F;  // of the sum in units of the upper plane's step
    float bias = 0.0F;  // for fractions less kInt8Magic · gain
    std::uint32_t taps[2][kInt8NarrowTaps][kInt8TapWords] = {};  // [plane][row], of narrow taps
};

// The bits of the float 1.5 · 2^23: integer sums below 2^22 that start here are the low bits of a
// float, and need no conversion.
constexpr int kInt8Start = 0x4B400000;
constexpr float kInt8Magic = 12582912.0F;

// The lower plane's sums are added to the upper's rounded to its step, 2^7 of theirs.
constexpr int kInt8PlaneBits = 7;

}  // namespace weft
