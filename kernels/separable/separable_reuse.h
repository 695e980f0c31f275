// Host-side preparation for separable_reuse. No CUDA; internal to kernels/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

constexpr int kSeparableWarps = 8;  // per block

// A thread computes this many rows of a column, then this many pixels of a row.
constexpr int kSeparableRows = 16;
template <int Channels>
constexpr int kSeparablePixels = Channels == 1 ? 16 : 8;

// A block computes `rows` rows of `outputs` samples.
struct SeparableReuseArgs {
    ConvImages images;
    const float* taps = nullptr;  // device: [plane][row factors, column factors], padded
    int planes = 1;               // tap planes: 1 for all channels, or one per channel
    int width = 1;                // taps per row
    int height = 1;
    int row_stride = 0;  // floats from the row factors to the column factors
    int tap_stride = 0;  // from plane to plane
    int rows = 0;        // a multiple of kSeparableRows
    int columns = 0;     // samples of a row between the passes
    int outputs = 0;     // outputs per row; a multiple of kSeparablePixels pixels
    int pitch = 0;       // floats of shared memory from row to row; an odd number of 16 bytes, so
                         // that lanes in eight rows meet no bank twice
    int tiles_x = 1;
    bool dst_aligned = false;  // every row starts at a multiple of the vector store's size
};

// Arguments without their pointers, and the data for them.
struct SeparableReuseLayout {
    SeparableReuseArgs args;
    BorderTables borders;
    std::vector<float> taps;
    int blocks = 0;
    int shared_bytes = 0;
};

// For one tap set whose factors are known. Empty if a block of the device has the shared memory for
// the sums of a row. Otherwise the reason.
std::string why_not_between(const ConvProblem& problem, const Device& device);

SeparableReuseLayout lay_out_separable_reuse(const ConvProblem& problem, const Device& device);

// In separable_reuse.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_separable_reuse(const ConvProblem& problem,
                                                      const Device& device);

}  // namespace weft
