// tensor_int8 on one channel, or on all as one.
#include "kernels/tensor/tensor_int8_variants.cuh"

namespace weft {

template <>
Int8Kernel compiled_int8_kernel<1>(const Int8Layout& layout) {
    return int8_kernel<1>(layout);
}

}  // namespace weft
