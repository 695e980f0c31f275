// All decisions of tensor_separable on the host: whether it keeps the arithmetic contract for a
// problem, the bands of its factors, and the cut of the image in strips. No CUDA; internal to
// kernels/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

constexpr int kStripWarps = 4;  // per block; each computes a strip of its own
constexpr int kStripThreads = 32 * kStripWarps;
constexpr int kStripRows = 16;  // output rows of a step; also image rows of a chunk

// What is compiled in. A warp computes `tiles` times 16 samples in a row. The window of 16 outputs
// is up to `halves` times 32 bytes wide, and that of 16 output rows `chunks` times 16 rows high.
// `blocks` fit on a multiprocessor of 65,536 registers.
struct StripShape {
    int halves, chunks, tiles, blocks;
};
// From the least work per output to the most: 2 halves + chunks.
constexpr StripShape kStripShapes[] = {{1, 2, 4, 4}, {2, 2, 4, 3}, {1, 4, 4, 3}, {2, 3, 2, 4},
                                       {3, 2, 4, 3}, {2, 4, 2, 4}, {3, 3, 4, 2}, {3, 5, 4, 2},
                                       {5, 3, 4, 2}, {4, 8, 2, 2}, {7, 4, 2, 2}};

// Shared memory of a block: see StripEnds.
constexpr int strip_shared_bytes(const StripShape& shape) {
    const int window = 16 * (shape.tiles + 2 * shape.halves - 1);
    return kStripWarps * (kStripRows * (window + 8) + 4 * window);
}

struct TensorSeparableArgs {
    ConvImages images;
    const std::uint32_t* rows = nullptr;     // device: A fragments [half][plane][register][lane]
    const std::uint32_t* columns = nullptr;  // device: A fragments [chunk][register][lane]
    int left = 0;      // samples of a window before its first output; a multiple of 8
    int channels = 1;  // interleaved
    int tiles_x = 1;   // warps side by side
    int strips = 1;    // warps one below the other
    int steps = 1;     // of a strip
    // The row pass: fma(upper sum, upper_step, fma(lower sum, lower_step, offset)), rounded to half
    // precision; the sums are read as floats, kInt8Start included. Its samples have 128 subtracted.
    float upper_step = 1.0F;
    float lower_step = 0.0F;
    float offset = 0.0F;
    // The column pass: fma(start + sum, gain, bias), or start + sum if not `scaled`.
    bool scaled = false;
    float start = 0.0F;
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
    std::size_t shape = 0;  // of kStripShapes
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
int blocks_of(const TensorSeparableArgs& args);

// In tensor_separable.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_tensor_separable(const ConvProblem& problem,
                                                       const Device& device);

}  // namespace weft
