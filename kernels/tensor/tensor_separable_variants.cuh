// The compiled kernels of tensor_separable, and the one for a layout. Static: the tests compile
// this file for the CPU, and one program has both.
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/tensor/tensor_separable.cuh"
#include "kernels/tensor/tensor_separable_shared.cuh"

namespace weft {

using SeparableKernel = void (*)(TensorSeparableArgs);

template <StripSums kSums, int C, int F, std::size_t Index>
static constexpr SeparableKernel separable_kernel() {
    constexpr StripShape s = strip_shape(C, Index);
    if constexpr (s.shared)
        return tensor_separable_shared<kSums, s.halves, s.chunks, s.tiles, s.blocks>;
    else
        return tensor_separable<kSums, C, F, s.halves, s.chunks, s.tiles, s.blocks>;
}

template <StripSums kSums, int C, int F, std::size_t... Index>
static SeparableKernel separable_kernel(std::size_t shape, std::index_sequence<Index...>) {
    constexpr SeparableKernel kKernels[] = {separable_kernel<kSums, C, F, Index>()...};
    return kKernels[shape];
}

template <int C, int F>
static SeparableKernel separable_kernel(const TensorSeparableLayout& layout) {
    constexpr auto kShapes = std::make_index_sequence<strip_shapes(C)>();
    return layout.sums == StripSums::whole
               ? separable_kernel<StripSums::whole, C, F>(layout.shape, kShapes)
               : separable_kernel<StripSums::rounded, C, F>(layout.shape, kShapes);
}

// separable_kernel() in a file of its own for some channels, and so in a module of its own: a GPU
// for which there is no machine code compiles only those that it uses.
template <int C, int F>
SeparableKernel compiled_separable_kernel(const TensorSeparableLayout& layout);
template <>
SeparableKernel compiled_separable_kernel<1, 1>(const TensorSeparableLayout& layout);
template <>
SeparableKernel compiled_separable_kernel<2, 2>(const TensorSeparableLayout& layout);
template <>
SeparableKernel compiled_separable_kernel<3, 3>(const TensorSeparableLayout& layout);
template <>
SeparableKernel compiled_separable_kernel<4, 3>(const TensorSeparableLayout& layout);
template <>
SeparableKernel compiled_separable_kernel<4, 4>(const TensorSeparableLayout& layout);

// get.template operator()<C, F>() for the layout's channels and those of them that are filtered.
template <class Get>
static SeparableKernel for_channels_of(const TensorSeparableLayout& layout, const Get& get) {
    switch (layout.channels) {
        case 1:
            return get.template operator()<1, 1>();
        case 2:
            return get.template operator()<2, 2>();
        case 3:
            return get.template operator()<3, 3>();
        default:
            return layout.filtered == 3 ? get.template operator()<4, 3>()
                                        : get.template operator()<4, 4>();
    }
}

}  // namespace weft
