// Stores the sums of a block of implicit_gemm: into the output or, if blocks share the depth, next
// to the other blocks' sums, for a separate kernel to add up. The order of the sums is always the
// same.
// Launch of add_splits: blocks of 32 × 8, one thread per output
#pragma once

#include "kernels/common/elements.cuh"
#include "kernels/layers/implicit_gemm.h"
#include "kernels/layers/layer_taps.cuh"

namespace weft {

// The products of an output that this block computes.
struct GemmRange {
    int begin, end;
};

__device__ __forceinline__ GemmRange gemm_range(const GemmArgs& a) {
    const int begin = static_cast<int>(blockIdx.y) * a.split_depth;
    return {begin, min(begin + a.split_depth, a.depth)};
}

// Stores `pixel` of output channel `m`, whose place is `out`.
template <class E>
__device__ __forceinline__ void store_product(const GemmArgs& a, const OutputPlace& out, unsigned m,
                                              unsigned pixel, float sum) {
    if (a.partial == nullptr) {
        static_cast<typename E::Stored*>(a.output)[out.first + m * out.channel] = E::stored(sum);
    } else {
        const auto row = static_cast<long long>(blockIdx.y) * a.shape.out_channels + m;
        a.partial[row * a.pixels + pixel] = sum;
    }
}

constexpr int kAddWarps = 8;

template <class E>
__global__ void __launch_bounds__(32 * kAddWarps) add_splits(const __grid_constant__ GemmArgs a) {
    const unsigned at = (blockIdx.x * kAddWarps + threadIdx.y) * 32 + threadIdx.x;
    const unsigned outputs = static_cast<unsigned>(a.shape.out_channels) * a.pixels;
    if (at >= outputs) return;
    float sum = 0.0F;
#pragma unroll 8
    for (int split = 0; split < a.splits; ++split)
        sum += a.partial[static_cast<long long>(split) * outputs + at];
    const OutputPlace out = output_place(a.shape, at % a.pixels);
    static_cast<typename E::Stored*>(a.output)[out.first + at / a.pixels * out.channel] =
        E::stored(sum);
}

}  // namespace weft
