// All decisions of the tensor core rows on the host: whether half precision keeps the arithmetic
// contract for a problem, and the layout of its taps in bands. No CUDA; internal to kernels/.
#pragma once

#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/tensor/tensor_args.h"

namespace weft {

// Arguments without their pointers, and the data for them. One block per tile, until the launcher
// knows how many fit on the device at once.
struct TensorLayout {
    TensorArgs args;
    BorderTables borders;
    std::vector<std::uint32_t> bands;
    std::vector<std::uint32_t> columns;
    int shared_bytes = 0;
};

// Chunks of a band that are compiled in; tensor_dense has a loop for wider bands.
constexpr int kMaxUnrolledChunks = 5;

// Rows of the tile of tensor_separable stay within a third of a multiprocessor's shared memory.
constexpr int kMaxTensorColumn = 63;

// Empty if the row can keep the contract for the problem's type, channels and taps (whole numbers
// stay exact, others are less than half a step of the output off) and its tile fits into the shared
// memory of the device. Otherwise the reason.
std::string why_not_tensor_dense(const ConvProblem& problem, const Device& device);
std::string why_not_tensor_separable(const ConvProblem& problem, const Device& device);

// The variant for `args.chunks`: 2 to kMaxUnrolledChunks, or 0.
int unrolled_chunks(int chunks);

TensorLayout lay_out_tensor_dense(const ConvProblem& problem, const Device& device);
TensorLayout lay_out_tensor_separable(const ConvProblem& problem, const Device& device);

// A factor for taps that loses little by rounding them to half precision, and the loss.
struct HalfScale {
    float factor = 1.0F;
    double lost = 0;  // Σ|half(w · factor) / factor - w|
};

// Taps that are exact keep a factor of 1; otherwise Σ|w| · factor is at most 256.
HalfScale half_scale(const std::vector<float>& weights);

}  // namespace weft
