// tensor_separable on two channels, as NV12 has them.
#include "kernels/tensor/tensor_separable_variants.cuh"

namespace weft {

template <>
SeparableKernel compiled_separable_kernel<2, 2>(const TensorSeparableLayout& layout) {
    return separable_kernel<2, 2>(layout);
}

}  // namespace weft
