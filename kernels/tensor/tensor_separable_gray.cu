// tensor_separable on one channel.
#include "kernels/tensor/tensor_separable_variants.cuh"

namespace weft {

template <>
SeparableKernel compiled_separable_kernel<1, 1>(const TensorSeparableLayout& layout) {
    return separable_kernel<1, 1>(layout);
}

}  // namespace weft
