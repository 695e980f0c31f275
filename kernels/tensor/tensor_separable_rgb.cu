// tensor_separable on three channels.
#include "kernels/tensor/tensor_separable_variants.cuh"

namespace weft {

template <>
SeparableKernel compiled_separable_kernel<3, 3>(const TensorSeparableLayout& layout) {
    return separable_kernel<3, 3>(layout);
}

}  // namespace weft
