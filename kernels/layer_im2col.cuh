// The first half of im2col_gemm: the gathered input as a matrix in memory.
//
// Idea: the textbook's. Every product's input element is written out, sum_length() for each output
// pixel; the rest is one product of matrices. In nchw rows are products and columns the pixels of
// one image; in nhwc rows are pixels and columns products, [y][x][channel].
// Source: Chellapilla, Puri, Simard 2006; Caffe
// Memory: as many images as fit into 256 MiB, or a part of one, used again for the next
// Launch: 256 threads, one-dimensional grid, a thread an element in the order of memory
#pragma once

#include "kernels/layer_taps.cuh"

namespace weft {

struct Im2colArgs {
    LayerShape shape{};
    const void* input = nullptr;
    void* matrix = nullptr;
    const TapPlace* places = nullptr;  // device: sum_length() of them
    int depth = 0;
    int group = 0;
    unsigned pixels = 0;       // of each image: its whole output plane if there are more than one
    unsigned first_pixel = 0;  // counted through all images
    unsigned count = 0;        // elements to write
};

constexpr int kIm2colWarps = 8;
constexpr int kIm2colBlock = 32 * kIm2colWarps;

template <class E>
__global__ void __launch_bounds__(kIm2colBlock) im2col(const __grid_constant__ Im2colArgs a) {
    const unsigned index = (blockIdx.x * kIm2colWarps + threadIdx.y) * 32 + threadIdx.x;
    if (index >= a.count) return;
    const auto depth = static_cast<unsigned>(a.depth);
    const bool rows_are_pixels = a.shape.channels_last;
    const unsigned k = rows_are_pixels ? index % depth : index / a.pixels % depth;
    const unsigned pixel =
        rows_are_pixels ? index / depth : index / a.pixels / depth * a.pixels + index % a.pixels;
    const PixelPlace place = pixel_place(a.shape, a.first_pixel + pixel, a.group);
    static_cast<typename E::Stored*>(a.matrix)[index] =
        gathered<E>(a.shape, a.input, place, a.places[k]);
}

}  // namespace weft
