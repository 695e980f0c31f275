// tensor_separable on four channels, and on three of four.
#include "kernels/tensor/tensor_separable_variants.cuh"

namespace weft {

template <>
SeparableKernel compiled_separable_kernel<4, 4>(const TensorSeparableLayout& layout) {
    return separable_kernel<4, 4>(layout);
}

template <>
SeparableKernel compiled_separable_kernel<4, 3>(const TensorSeparableLayout& layout) {
    return separable_kernel<4, 3>(layout);
}

}  // namespace weft
