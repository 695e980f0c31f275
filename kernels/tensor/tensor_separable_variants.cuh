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

template <StripSums kSums, int C, int F>
static SeparableKernel separable_kernel(const TensorSeparableLayout& layout) {
    return separable_kernel<kSums, C, F>(layout.shape, std::make_index_sequence<strip_shapes(C)>());
}

// separable_kernel() in a file of its own for some sums and channels, and so in a module of its
// own: a GPU for which there is no machine code compiles only those that it uses.
template <StripSums kSums, int C, int F>
SeparableKernel compiled_separable_kernel(const TensorSeparableLayout& layout);

template <StripSums kSums, class Get>
static SeparableKernel for_channels_of(const TensorSeparableLayout& layout, const Get& get) {
    switch (layout.channels) {
        case 1:
            return get.template operator()<kSums, 1, 1>();
        case 2:
            return get.template operator()<kSums, 2, 2>();
        case 3:
            return get.template operator()<kSums, 3, 3>();
        default:
            return layout.filtered == 3 ? get.template operator()<kSums, 4, 3>()
                                        : get.template operator()<kSums, 4, 4>();
    }
}

// get.template operator()<S, C, F>() for the layout's sums, its channels and those of them that are
// filtered.
template <class Get>
static SeparableKernel for_form_of(const TensorSeparableLayout& layout, const Get& get) {
    return layout.sums == StripSums::whole ? for_channels_of<StripSums::whole>(layout, get)
                                           : for_channels_of<StripSums::rounded>(layout, get);
}

}  // namespace weft
