// The first half of im2col_gemm: the gathered input as a matrix in memory.
//
// Idea: the textbook's. Every product's input element is written out, sum_length() per output
// pixel; the rest is one product of matrices. In nchw rows are products and columns the pixels of
// one image; in nhwc rows are pixels and columns products, [y][x][channel].
// Source: Chellapilla, Puri, Simard 2006; Caffe
// Memory: as many images as fit into 256 MiB, or a part of one, used again for the next
// Launch: 256 threads; in nchw a thread is a pixel and a slice of products, neighbours store side
// by side; in nhwc a warp is a pixel
#pragma once

#include "kernels/layers/layer_taps.cuh"

namespace weft {

struct Im2colArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* matrix = nullptr;
    const TapPlace* places = nullptr;  // device: sum_length() of them
    int depth = 0;
    int group = 0;
    unsigned pixels = 0;       // per image: its whole output plane if more than one
    unsigned first_pixel = 0;  // counted through all images
    unsigned columns = 0;      // pixels of all images
};

constexpr int kIm2colWarps = 8;
constexpr int kIm2colBlock = 32 * kIm2colWarps;
constexpr int kIm2colSlice = 16;  // products

template <class E>
__global__ void __launch_bounds__(kIm2colBlock)
    im2col_planes(const __grid_constant__ Im2colArgs a) {
    const unsigned column = (blockIdx.x * kIm2colWarps + threadIdx.y) * 32 + threadIdx.x;
    if (column >= a.columns) return;
    const PixelPlace place = pixel_place(a.shape, a.first_pixel + column, a.group);
    const auto depth = static_cast<unsigned>(a.depth);
    const unsigned first = blockIdx.y * kIm2colSlice;
    auto* to = static_cast<typename E::Stored*>(a.matrix) +
               (column / a.pixels * depth + first) * a.pixels + column % a.pixels;
    for (unsigned k = first; k < depth && k < first + kIm2colSlice; ++k, to += a.pixels)
        *to = gathered<E>(a.shape, a.input, place, a.places[k]);
}

template <class E>
__global__ void __launch_bounds__(kIm2colBlock)
    im2col_pixels(const __grid_constant__ Im2colArgs a) {
    const unsigned row = blockIdx.x * kIm2colWarps + threadIdx.y;
    if (row >= a.columns) return;
    const PixelPlace place = pixel_place(a.shape, a.first_pixel + row, a.group);
    const auto depth = static_cast<unsigned>(a.depth);
    auto* const to = static_cast<typename E::Stored*>(a.matrix) + row * depth;
    for (unsigned k = threadIdx.x; k < depth; k += 32)
        to[k] = gathered<E>(a.shape, a.input, place, a.places[k]);
}

}  // namespace weft
