// All decisions of tensor_separable on the host: whether it keeps the arithmetic contract for a
// problem, the bands of its factors, and the cut of the image in strips. No CUDA; internal to
// kernels/.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/tensor/tensor_int8.h"

namespace weft {

constexpr int kStripWarps = 4;  // per block; each computes a strip of its own
constexpr int kStripThreads = 32 * kStripWarps;
constexpr int kStripRows = 16;  // output rows of a step; also image rows of a chunk

// The compiled shapes. A warp computes `tiles` times 16 pixels of a row. 16 outputs of a row need a
// window of at most `halves` times 32 pixels, and 16 output rows need `chunks` times 16 rows.
// `blocks` of them fit on a multiprocessor with 65,536 registers. If the strip is `shared`, all
// warps of a block work on it (tensor_separable_shared.cuh); otherwise each has a strip of its own.
struct StripShape {
    int halves, chunks, tiles, blocks;
    bool shared = false;
};
// In the order of the work per output, 2 · halves + chunks.
constexpr StripShape kStripShapes[] = {
    {1, 2, 4, 4}, {2, 2, 4, 4},       {1, 4, 4, 3}, {2, 3, 2, 4},       {3, 2, 4, 3}, {2, 4, 2, 4},
    {3, 3, 4, 2}, {3, 5, 4, 3, true}, {5, 3, 4, 2}, {4, 8, 4, 3, true}, {7, 4, 2, 2}};
// Shapes for two, three and four interleaved channels. A tile has a result for each channel.
constexpr StripShape kPixelShapes[3][5] = {
    {{1, 2, 2, 4}, {2, 3, 2, 3}, {2, 4, 2, 3}, {3, 5, 2, 2}, {4, 8, 1, 2}},
    {{2, 2, 1, 4}, {2, 3, 1, 3}, {2, 4, 1, 3}, {3, 5, 1, 2}, {4, 8, 1, 2}},
    {{1, 2, 1, 4}, {2, 3, 1, 3}, {2, 4, 1, 3}, {3, 5, 1, 2}, {4, 8, 1, 2}}};

constexpr std::size_t strip_shapes(int channels) {
    return channels == 1 ? std::size(kStripShapes) : std::size(kPixelShapes[0]);
}

constexpr StripShape strip_shape(int channels, std::size_t index) {
    return channels == 1 ? kStripShapes[index] : kPixelShapes[channels - 2][index];
}

// How sums are kept between the passes; each shape is compiled for both.
//   rounded  to half precision
//   whole    as two bytes, which the column pass multiplies one by one, so that the result is
//            exact; for whole-number factors up to ±127 whose row sums span less than 2^16
enum class StripSums : std::uint8_t { rounded, whole };

// The rounds of a chunk per warp before a shared strip's first output, and the chunks that shared
// memory has room for.
constexpr int strip_warm_up(int chunks) {
    return (chunks - 1 + kStripWarps - 1) / kStripWarps;
}

constexpr int strip_slots(int chunks) {
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(chunks - 1 + 2 * kStripWarps)));
}

// Shared memory of a block: see StripGrid, StripEnds and StripExchange.
constexpr int strip_shared_bytes(int channels, const StripShape& shape) {
    const int window = channels * (shape.tiles == 1 ? 32 * shape.halves
                                                    : 16 * (shape.tiles + 2 * shape.halves - 1));
    const int exchange = shape.shared ? strip_slots(shape.chunks) * shape.tiles * 32 * 16 : 0;
    return kStripWarps * (kStripRows * (window + 8) + 4 * window) + exchange;
}

struct TensorSeparableArgs {
    ConvImages images;
    // On the device, A fragments: [half][plane][register][lane], of one plane in whole sums, and
    // [chunk][register][lane], of two chunks at a time in whole sums.
    const std::uint32_t* rows = nullptr;
    const std::uint32_t* columns = nullptr;
    int left = 0;     // samples of a window before its first output, in multiples of 8 pixels
    int tiles_x = 1;  // strips side by side
    int strips = 1;   // one below the other
    int steps = 1;    // of a strip
    // With rounded sums, the row pass stores fma(upper sum, upper_step, fma(lower sum, lower_step,
    // offset)) in half precision. Its sums start at kInt8Start and are read as floats, and 128 is
    // subtracted from the samples. Whole sums start at a value from which all sums that can occur
    // fit into 16 bits with a sign.
    int row_start = kInt8Start;
    float upper_step = 1.0F;
    float lower_step = 0.0F;
    float offset = 0.0F;
    // The column pass stores fma(sum, gain, bias) if it is `scaled`, else the sum. Rounded sums
    // start at a float, whole ones at kInt8Start plus the correction for the rows' start.
    bool scaled = false;
    std::uint32_t column_start = 0;
    float gain = 1.0F;
    float bias = 0.0F;
    std::uint32_t kept = 0;    // the bytes of a word that come from the source: channels left alone
    bool src_aligned = false;  // every row starts at a multiple of 16 bytes
    bool dst_aligned = false;
};

// Arguments without their pointers, and the data for them.
struct TensorSeparableLayout {
    TensorSeparableArgs args;
    BorderTables borders;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> columns;
    int channels = 1;
    int filtered = 1;       // so many channels from the first on
    std::size_t shape = 0;  // see strip_shape()
    StripSums sums = StripSums::rounded;
};

// Empty if the kernel can keep the contract for the problem's type, channels and factors: whole
// numbers stay exact, others are within Arithmetic::half_between and less than half a step of the
// output off. Otherwise the reason.
std::string why_not_tensor_separable(const ConvProblem& problem);

// In one strip from top to bottom.
TensorSeparableLayout lay_out_tensor_separable(const ConvProblem& problem);

// Cuts the image in strips, so that it takes the least time with so many resident blocks per
// multiprocessor.
void cut_strips(int multiprocessors, int resident_blocks, TensorSeparableLayout& layout);

// Blocks of a launch.
int blocks_of(const TensorSeparableLayout& layout);

// Defined in tensor_separable.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_tensor_separable(const ConvProblem& problem,
                                                       const Device& device);

}  // namespace weft
