// The layer form of direct: one output per thread, any case; the baseline.
//
// Idea: the definition, written down. Neighbouring threads compute neighbouring elements of the
// output, so that a warp's loads are contiguous where the layout allows; weights come from global
// memory (one broadcast for a warp in nchw).
// Source: textbook
// Launch: block 32 × 8, one-dimensional grid over the outputs
// Cost per output: sum_length() loads of elements, as many of weights and multiplications
#pragma once

#include "kernels/common/elements.cuh"
#include "kernels/layers/layer_taps.cuh"

namespace weft {

constexpr int kLayerDirectWarps = 8;
constexpr int kLayerDirectBlock = 32 * kLayerDirectWarps;

// An element of the output.
struct LayerPlace {
    int n, m, y, x;
};

__device__ __forceinline__ LayerPlace place_of(const LayerShape& s, unsigned index) {
    const auto split = [&](int length) {
        const auto at = static_cast<int>(index % static_cast<unsigned>(length));
        index /= static_cast<unsigned>(length);
        return at;
    };
    LayerPlace at{};
    if (s.channels_last) {
        at.m = split(s.out_channels);
        at.x = split(s.out_width);
        at.y = split(s.out_height);
    } else {
        at.x = split(s.out_width);
        at.y = split(s.out_height);
        at.m = split(s.out_channels);
    }
    at.n = static_cast<int>(index);
    return at;
}

template <class E>
__device__ __forceinline__ float sum_at(const LayerArgs& args, const LayerPlace& at) {
    const LayerShape& s = args.shape;
    const LayerStrides strides = input_strides(s, at.n, at.m / s.group_outputs);
    const auto* const input = static_cast<const typename E::Stored*>(args.input);
    const float* w =
        args.weights + static_cast<long long>(at.m) * s.group_inputs * s.taps_y * s.taps_x;
    float sum = 0.0F;
    for (int c = 0; c < s.group_inputs; ++c) {
        const unsigned plane = strides.first + static_cast<unsigned>(c) * strides.channel;
        for (int j = 0; j < s.taps_y; ++j) {
            const int y = at.y * s.stride_y - s.padding_y + j * s.dilation_y;
            for (int i = 0; i < s.taps_x; ++i, ++w) {
                const int x = at.x * s.stride_x - s.padding_x + i * s.dilation_x;
                if (y < 0 || y >= s.height || x < 0 || x >= s.width) continue;
                const unsigned k = plane + static_cast<unsigned>(y) * strides.row +
                                   static_cast<unsigned>(x) * strides.column;
                sum = __fmaf_rn(*w, E::value(input[k]), sum);
            }
        }
    }
    return sum;
}

template <class E>
__global__ void __launch_bounds__(kLayerDirectBlock)
    layer_direct(const __grid_constant__ LayerArgs args) {
    const LayerShape& s = args.shape;
    const unsigned outputs =
        static_cast<unsigned>(s.batch) * static_cast<unsigned>(s.out_channels) *
        static_cast<unsigned>(s.out_height) * static_cast<unsigned>(s.out_width);
    const unsigned index = (blockIdx.x * kLayerDirectWarps + threadIdx.y) * 32 + threadIdx.x;
    if (index >= outputs) return;
    auto* const output = static_cast<typename E::Stored*>(args.output);
    output[index] = E::stored(sum_at<E>(args, place_of(s, index)));
}

}  // namespace weft
