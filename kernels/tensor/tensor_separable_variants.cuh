// All compiled variants of tensor_separable, and the one for a layout. Static: the tests compile
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

template <int C, int F = C>
static SeparableKernel separable_kernel(const TensorSeparableLayout& layout) {
    constexpr auto kShapes = std::make_index_sequence<strip_shapes(C)>();
    return layout.sums == StripSums::whole
               ? separable_kernel<StripSums::whole, C, F>(layout.shape, kShapes)
               : separable_kernel<StripSums::rounded, C, F>(layout.shape, kShapes);
}

// The compiled kernel for a layout.
static inline SeparableKernel separable_kernel(const TensorSeparableLayout& layout) {
    switch (layout.channels) {
        case 1:
            return separable_kernel<1>(layout);
        case 2:
            return separable_kernel<2>(layout);
        case 3:
            return separable_kernel<3>(layout);
        default:
            return layout.filtered == 3 ? separable_kernel<4, 3>(layout)
                                        : separable_kernel<4>(layout);
    }
}

}  // namespace weft
