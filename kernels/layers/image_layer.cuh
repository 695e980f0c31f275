// The kernels around a layer that filters an image.
//
// Idea: one kernel copies samples, and at the ends those that the border rule names, into planes of
// fp32; the other combines the sums of the tap sets, scales, adds the bias and saturates. Both use
// one thread per pixel, for all of its channels.
// Source: textbook
// Launch: 256 threads, one-dimensional grids over the pixels with and without the border
// Cost: 4 bytes written and read for each sample, and again for each sum
#pragma once

#include "kernels/common/samples.cuh"
#include "kernels/layers/image_layer.h"

namespace weft {

constexpr int kImageLayerWarps = 8;
constexpr int kImageLayerBlock = 32 * kImageLayerWarps;

__device__ __forceinline__ unsigned image_layer_index() {
    return (blockIdx.x * kImageLayerWarps + threadIdx.y) * 32 + threadIdx.x;
}

template <class P>
__global__ void __launch_bounds__(kImageLayerBlock)
    pad_planes(const __grid_constant__ ImageLayerArgs a) {
    const ConvImages& images = a.images;
    const auto width = static_cast<unsigned>(images.x.before + images.x.length + images.x.after);
    const auto plane =
        width * static_cast<unsigned>(images.y.before + images.y.length + images.y.after);
    const unsigned at = image_layer_index();
    if (at >= plane) return;
    const int x = source_index(images.x, static_cast<int>(at % width) - images.x.before);
    const int y = source_index(images.y, static_cast<int>(at / width) - images.y.before);
    const auto* const row = reinterpret_cast<const typename P::Sample*>(
        images.src + static_cast<long long>(max(y, 0)) * images.src_pitch);
    for (int c = 0; c < a.channels; ++c)
        a.padded[static_cast<unsigned>(c) * plane + at] =
            x < 0 || y < 0 ? border_value<P>(images)
                           : P::value(row[static_cast<long long>(x) * a.channels + c]);
}

template <class P>
__global__ void __launch_bounds__(kImageLayerBlock)
    finish_planes(const __grid_constant__ ImageLayerArgs a) {
    const ConvImages& images = a.images;
    const auto width = static_cast<unsigned>(images.x.length);
    const unsigned plane = width * static_cast<unsigned>(images.y.length);
    const unsigned at = image_layer_index();
    if (at >= plane) return;
    auto* const row = reinterpret_cast<typename P::Sample*>(
        images.dst + static_cast<long long>(at / width) * images.dst_pitch);
    const auto* sums = a.sums + at;
    for (int c = 0; c < a.out_channels; ++c) {
        float result = 0.0F;
        for (int set = 0; set < a.sets; ++set, sums += plane)
            result = set == 0      ? *sums
                     : a.magnitude ? magnitude_of(result, *sums)
                                   : larger(result, *sums);
        row[static_cast<long long>(at % width) * a.out_channels + c] =
            P::finish(__fmaf_rn(result, images.scale[c], images.bias[c]), images.max_value);
    }
}

}  // namespace weft
