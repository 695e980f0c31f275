// The kernel tensor_f32 on the host: whether it keeps the bound of Arithmetic::split_halves for a
// problem, and the layout of its taps. No CUDA; internal to kernels/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/conv_kernel.h"
#include "kernels/tensor/tensor_dense.h"

namespace weft {

// The kernel uses these members of `tensor`: images, tile, tap_rows, chunks, tiles_x, block_rows,
// dst_aligned, inverse[0] for the scaling of the taps, and `bands`. These hold four words of B
// fragments for each tap row, pair of chunks and lane: first the upper halves of the taps for both
// chunks, then the lower ones.
// A row of the tile has segments + 1 vectors of four samples, an odd number. Two of them become one
// chunk of upper halves and one of lower halves.
struct TensorF32Args {
    TensorArgs tensor;
    const float* weights =
        nullptr;      // device: [entry][tap row][tap], for tiles with NaN or infinity
    int entries = 1;  // of `weights`: one for all channels, or one per channel
    int tap_width = 1;
    int first_tap = 0;  // sample of the first tap of output 0 in its row of the tile
};

struct TensorF32Layout {
    TensorF32Args args;
    BorderTables borders;
    std::vector<std::uint32_t> bands;
    std::vector<float> weights;
    int shared_bytes = 0;
};

// Empty, or the sentence that explains why the kernel cannot run.
std::string why_not_tensor_f32(const ConvProblem& problem, const Device& device);

TensorF32Layout lay_out_tensor_f32(const ConvProblem& problem, const Device& device);

// In tensor_f32.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_tensor_f32(const ConvProblem& problem, const Device& device);

}  // namespace weft
